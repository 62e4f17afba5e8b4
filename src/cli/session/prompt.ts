/** Terminal prompts: questions on stderr, answers on stdin. */
import type { Writable } from 'node:stream';
import { DeclinedError, InterruptedError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { Io } from './io.ts';

/** Whether a prompt is possible. */
export function canPrompt(io: Io, noInput: boolean): boolean {
  return !noInput && io.stdin.isTTY === true && io.stderr.isTTY === true;
}

export async function askLine(io: Io, question: string, signal: AbortSignal): Promise<string> {
  return await readLine(io, question, io.stderr, signal);
}

/** Asks for a line without echo. */
export async function askSecret(io: Io, question: string, signal: AbortSignal): Promise<string> {
  const { Writable: Stream } = process.getBuiltinModule('node:stream');
  const muted = new Stream({ write: (_chunk, _encoding, done) => done() });
  try {
    return await readLine(io, question, muted, signal);
  } finally {
    io.stderr.write('\n');
  }
}

/** Asks a yes-or-no question. Every other answer counts as no. */
export async function confirm(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(io, `${question} [y/N] `, signal)).trim());
}

/** Surplus lines of pasted input, used for the next questions. */
const surplusLines = new WeakMap<Io['stdin'], string[]>();

async function readLine(
  io: Io,
  question: string,
  output: Writable,
  signal: AbortSignal,
): Promise<string> {
  const { createInterface } = process.getBuiltinModule('node:readline');
  const ahead = surplusLines.get(io.stdin) ?? [];
  surplusLines.set(io.stdin, ahead);
  const early = ahead.shift();
  if (early !== undefined) {
    io.stderr.write(escapeControlChars.text(question));
    return early;
  }
  return await new Promise((resolve, reject) => {
    const lines = createInterface({ input: io.stdin, output, terminal: true });
    // `createInterface` must come first: it turns off the terminal's echo before an answer can
    // arrive.
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
      // All lines of one chunk arrive before the next tick.
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

/** Reads the first line of piped input, such as a password. */
export async function readFirstLine(io: Io): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}
