/** WebAssembly hashes that Node.js lacks: BLAKE2b with 32 bytes, and XXH3 with 128 bits. */
import { createBLAKE2b, createXXHash128, type IHasher } from 'hash-wasm';
import type { Digest } from './digest.ts';
import { optimizeWebAssembly } from './optimized-wasm.ts';

const programs = {
  blake2b: () => createBLAKE2b(256),
  xxh128: () => createXXHash128(),
} satisfies Record<string, () => Promise<IHasher>>;

export type WasmAlgorithm = keyof typeof programs;

/** A compiled program, which contains the state of one hash at a time. */
interface Program {
  readonly hasher: IHasher;
  current: WasmHash | undefined;
}

const loaded = new Map<WasmAlgorithm, Program>();

export function isWasmAlgorithm(algorithm: string): algorithm is WasmAlgorithm {
  return Object.hasOwn(programs, algorithm);
}

/** Compiles the program of an algorithm, if it has one. `WasmHash` requires it. */
export async function loadHash(algorithm: string): Promise<void> {
  if (!isWasmAlgorithm(algorithm) || loaded.has(algorithm)) return;
  optimizeWebAssembly();
  const hasher = await programs[algorithm]();
  if (!loaded.has(algorithm)) loaded.set(algorithm, { hasher, current: undefined });
}

export class WasmHash implements Digest {
  readonly #program: Program;
  /** Saved state while another hash uses the program. */
  #state: Uint8Array | undefined;

  /** Throws if the algorithm is not loaded. */
  constructor(algorithm: WasmAlgorithm) {
    const program = loaded.get(algorithm);
    if (!program) throw new Error(`${algorithm} is not loaded`);
    this.#program = program;
    program.current?.saveState();
    program.current = this;
    program.hasher.init();
  }

  update(bytes: Uint8Array): this {
    this.#activate();
    this.#program.hasher.update(bytes);
    return this;
  }

  /** The digest. The hash cannot be used afterwards. */
  digest(): Buffer {
    this.#activate();
    this.#program.current = undefined;
    return Buffer.from(this.#program.hasher.digest('binary'));
  }

  /** Saves the state, so that another hash can use the program. */
  saveState(): void {
    this.#state = this.#program.hasher.save();
  }

  #activate(): void {
    const { current, hasher } = this.#program;
    if (current === this) return;
    current?.saveState();
    if (this.#state) hasher.load(this.#state);
    this.#program.current = this;
  }
}
