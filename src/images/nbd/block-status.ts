/** Block status of an export in several metadata contexts, merged into one list. */
import type { NbdClient } from './client.ts';
import { protocolError } from './protocol.ts';

/** Byte range with the same flags in each requested context. */
export interface BlockStatusRun {
  readonly start: number;
  readonly length: number;
  /** Flags in the order of the names. `undefined` if the server does not support a context. */
  readonly flags: readonly (number | undefined)[];
}

/**
 * Yields the first `end` bytes of an export in ascending order, without gaps.
 * @param names names of contexts
 */
export async function* blockStatus(
  client: NbdClient,
  names: readonly string[],
  end: number,
): AsyncGenerator<BlockStatusRun> {
  const { contexts, minimumBlock, size } = client.info;
  const ids = names.map((name) => contexts.get(name));
  for (let position = 0; position < end; ) {
    const wanted = Math.min(
      Math.ceil((end - position) / minimumBlock) * minimumBlock,
      size - position,
    );
    const runsById = await client.blocks(position, wanted);
    const cursors = ids.map((id) =>
      id === undefined ? undefined : new RunCursor(runsById.get(id)),
    );
    // Use the range that all contexts cover, and request the remainder again.
    const known = Math.min(...cursors.map((cursor) => cursor?.total ?? Number.POSITIVE_INFINITY));
    if (known === 0 || !Number.isFinite(known)) throw protocolError('no block status');
    const stop = Math.min(position + known, end);
    while (position < stop) {
      const remaining = cursors.map((cursor) => cursor?.rest ?? Number.POSITIVE_INFINITY);
      const length = Math.min(stop - position, ...remaining);
      yield { start: position, length, flags: cursors.map((cursor) => cursor?.flags) };
      for (const cursor of cursors) cursor?.advance(length);
      position += length;
    }
  }
}

/** Position in a list of lengths and flags. */
class RunCursor {
  readonly total: number;
  readonly #runs: Uint32Array;
  #index = 0;
  rest: number;

  constructor(runs: Uint32Array = new Uint32Array(0)) {
    this.#runs = runs;
    let total = 0;
    for (let i = 0; i < runs.length; i += 2) {
      if (runs[i] === 0) throw protocolError('a run of zero blocks');
      total += runs[i] ?? 0;
    }
    this.total = total;
    this.rest = runs[0] ?? 0;
  }

  get flags(): number {
    return this.#runs[this.#index + 1] ?? 0;
  }

  advance(length: number): void {
    this.rest -= length;
    if (this.rest > 0) return;
    this.#index += 2;
    this.rest = this.#runs[this.#index] ?? 0;
  }
}
