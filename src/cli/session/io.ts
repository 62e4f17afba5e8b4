/** Streams and environment of a command, replaced in tests. */
import type { Readable, Writable } from 'node:stream';

export interface Input extends Readable {
  readonly isTTY?: boolean;
}

export interface Output extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Io {
  readonly env: Environment;
  readonly stdin: Input;
  /** The payload and nothing else. */
  readonly stdout: Output;
  /** Prompts, progress, warnings, errors. */
  readonly stderr: Output;
}

/** The streams of this process; the standard ones are opened when they are first used. */
export function processIo(): Io {
  return {
    env: process.env,
    get stdin() {
      return process.stdin as Input;
    },
    get stdout() {
      return process.stdout as Output;
    },
    get stderr() {
      const stream = process.stderr;
      // That nobody reads what is said beside the payload must not end the work.
      if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
      return stream as Output;
    },
  };
}

/** Writes and waits while the reader is behind, so that long output stays in bounded memory. */
export async function write(stream: Output, text: string | Uint8Array): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
}
