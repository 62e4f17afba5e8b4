/** Filter of standard input for `vmctl mcp`: it removes the lines that are not JSON. */
import { Transform } from 'node:stream';

/** Maximum characters of one line. Longer lines are passed on, and the protocol refuses them. */
const maxLineLength = 16 * 2 ** 20;

/** A stream of the lines that are JSON. Calls `onBad` for each line that is not. */
export function filterJsonLines(onBad: () => void): Transform {
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
      if (rest.length > maxLineLength) {
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
