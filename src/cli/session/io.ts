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
  /** Payload only. */
  readonly stdout: Output;
  /** Prompts, progress, warnings, errors. */
  readonly stderr: Output;
}

/** Creates the streams of this process. Each standard stream opens on first use. */
export function processIo(): Io {
  return {
    env: process.env,
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    get stderr() {
      const stream = process.stderr;
      // A closed stderr must not abort the command.
      if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
      return stream;
    },
  };
}

/** Writes, and waits for `drain` if the reader is slow, so that memory stays bounded. */
export async function write(stream: Output, text: string | Uint8Array): Promise<void> {
  if (!stream.write(text)) await new Promise((resolve) => stream.once('drain', resolve));
}
