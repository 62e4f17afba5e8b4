/** Runner of commands in the process of the test, with separate streams and environment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import type { main } from '../../src/cli/main.ts';
import type { Input, Io, Output } from '../../src/cli/session/io.ts';
import { triesMutants } from './mutants.ts';

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Buffer;
  /** Makes stdout a terminal of this width in columns. */
  readonly terminal?: number;
}

/** Default home, deleted when the process exits. */
const home = mkdtempSync(join(tmpdir(), 'vmctl-nobody-'));
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

type Main = (argv: readonly string[], io: Io) => Promise<number>;

/** Runs command lines through an entry point: that of the source or that of the build. */
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

/**
 * Runs the built command in this process, without the start of Node.js. The environment is exactly
 * the given one. Not suitable for tests of signals, limits, memory or process exit. In mutation
 * tests it runs the source, which contains the mutants.
 */
export async function builtVmctl(argv: readonly string[], options?: RunOptions): Promise<Result> {
  built ??= runner(
    triesMutants
      ? (await import('../../src/cli/main.ts')).main
      : (require('../../dist/main.cjs') as { main: typeof main }).main,
  );
  return await built(argv, options);
}

const require = createRequire(import.meta.url);
/** Loaded on first use, because most tests use the source. */
let built: ReturnType<typeof runner> | undefined;

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
