/** Lines of JSON on their way into the server of tools: the others are answered, and left out. */
import { Transform } from 'node:stream';

/** Bytes of one line that are kept; longer lines are passed on, for the protocol to refuse. */
const maxLine = 16 * 2 ** 20;

/** A stream of the lines that are JSON; `onBad` is told of each that is not. */
export function jsonLines(onBad: () => void): Transform {
  let rest = '';
  const passed = (line: string): string => {
    if (line.trim() === '') return '';
    try {
      JSON.parse(line);
      return `${line}\n`;
    } catch {
      onBad();
      return '';
    }
  };
  return new Transform({
    decodeStrings: false,
    transform(chunk: Buffer | string, _encoding, done) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      let text = lines.map(passed).join('');
      if (rest.length > maxLine) {
        text += rest;
        rest = '';
      }
      done(null, text);
    },
    flush(done) {
      done(null, rest === '' ? '' : passed(rest));
    },
  });
}
