/** Runs the command in this process, with its own streams and its own home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Input, Io, Output } from '../../src/cli/session/io.ts';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Makes stdout a terminal of this width. */
  readonly terminal?: number;
}

/** A home directory of its own; `remove` it when the test is over. */
export function temporaryHome(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'vmctl-home-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The home of whoever has none of his own: gone with the process. */
const home = mkdtempSync(join(tmpdir(), 'vmctl-nobody-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

type Main = (argv: readonly string[], io: Io) => Promise<number>;

/** Runs command lines by this entry: that of the source, or that of the build. */
export function runner(entry: Main) {
  return async (argv: readonly string[], options: RunOptions = {}): Promise<Result> => {
    const out = collector(options.terminal);
    const err = collector(undefined);
    const stdin: Input = Readable.from(options.stdin === undefined ? [] : [options.stdin]);
    const io: Io = {
      env: { HOME: home, ...options.env },
      stdin,
      stdout: out.stream,
      stderr: err.stream,
    };
    const code = await entry(argv, io);
    return { code, stdout: out.text(), stderr: err.text() };
  };
}

/** Runs one command line; the environment is exactly the given one. */
export const vmctl = runner(main);

function collector(columns: number | undefined): {
  readonly stream: Output;
  readonly text: () => string;
} {
  const chunks: Buffer[] = [];
  const stream = new PassThrough();
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return {
    stream: columns === undefined ? stream : Object.assign(stream, { isTTY: true, columns }),
    text: () => Buffer.concat(chunks).toString('utf8'),
  };
}
