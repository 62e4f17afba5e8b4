/** Questions to the person at the terminal: asked on stderr, answered on stdin. */
import type { Writable } from 'node:stream';
import { DeclinedError, InterruptedError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { Io } from './io.ts';

/** Whether there is somebody to ask. */
export function canAsk(io: Io, noInput: boolean): boolean {
  return !noInput && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Asks for a line. */
export async function ask(io: Io, question: string, signal: AbortSignal): Promise<string> {
  return await readLine(io, question, io.stderr, signal);
}

/** Asks for a line that is not shown while it is typed. */
export async function askSecret(io: Io, question: string, signal: AbortSignal): Promise<string> {
  const { Writable: Stream } = process.getBuiltinModule('node:stream');
  const muted = new Stream({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readLine(io, question, muted, signal);
  } finally {
    io.stderr.write('\n');
  }
}

/** Asks a question that is answered with yes or no; everything but yes is no. */
export async function confirm(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(io, `${question} [y/N] `, signal)).trim());
}

/** Lines that came together with an answer, such as several that were pasted: those of the next questions. */
const linesAhead = new WeakMap<Io['stdin'], string[]>();

async function readLine(
  io: Io,
  question: string,
  output: Writable,
  signal: AbortSignal,
): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline');
  const ahead = linesAhead.get(io.stdin) ?? [];
  linesAhead.set(io.stdin, ahead);
  const early = ahead.shift();
  if (early !== undefined) {
    io.stderr.write(escapeControlChars.text(question));
    return early;
  }
  return await new Promise((resolve, reject) => {
    const lines = createInterface({ input: io.stdin, output, terminal: true });
    // Only now: the terminal itself shows nothing any more of an answer that comes at once.
    io.stderr.write(escapeControlChars.text(question));
    let answered = false;
    const abort = () => {
      lines.close();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    lines.on('line', (line) => {
      if (answered) {
        ahead.push(line);
        return;
      }
      answered = true;
      // The lines of one piece of input all come before this.
      process.nextTick(() => {
        lines.close();
        resolve(line);
      });
    });
    // In raw mode Ctrl-C arrives as a key, not as a signal.
    lines.on('SIGINT', () => {
      reject(new InterruptedError('SIGINT'));
      lines.close();
    });
    lines.on('close', () => {
      signal.removeEventListener('abort', abort);
      if (!answered && !signal.aborted) reject(new DeclinedError('the prompt was not answered'));
    });
  });
}

/** The first line of a stream that is no terminal: a password that is piped in. */
export async function firstLine(io: Io): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}
