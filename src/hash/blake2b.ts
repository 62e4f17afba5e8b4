/**
 * BLAKE2b with any digest length up to 64 bytes, which Node's crypto does not offer. JavaScript has no
 * fast 64-bit arithmetic, WebAssembly does: the rounds are unrolled into a module assembled in memory,
 * which runs about as fast as compiled C.
 */
import { optimizeWebAssembly } from './optimized-wasm.ts';

let shared: Blake2bCore | undefined;

/**
 * Unkeyed BLAKE2b (RFC 7693). The digest length is part of the computation: a shorter digest is
 * not the beginning of a longer one. Throws where WebAssembly is not to be had.
 */
export class Blake2b {
  readonly #core: Blake2bCore;
  readonly #digestLength: number;
  /** Chaining value between calls; the core is shared with other hashes. */
  readonly #state = new Uint8Array(64);
  /** Bytes not compressed yet. It is kept full until more come, as the last block is special. */
  readonly #pending = new Uint8Array(BLOCK);
  #pendingLength = 0;
  #compressed = 0n;

  constructor(digestLength: number) {
    shared ??= assembleBlake2b();
    this.#core = shared;
    this.#digestLength = digestLength;
    const words = new DataView(this.#state.buffer);
    // The parameter block: no key, one leaf, this digest length.
    const parameters = BigInt(0x01010000 ^ digestLength);
    for (const [i, word] of INITIAL.entries()) {
      words.setBigUint64(i * 8, i === 0 ? word ^ parameters : word, true);
    }
  }

  update(data: Uint8Array): this {
    let used = 0;
    if (this.#pendingLength > 0) {
      used = Math.min(BLOCK - this.#pendingLength, data.length);
      this.#pending.set(data.subarray(0, used), this.#pendingLength);
      this.#pendingLength += used;
      if (used === data.length) return this;
      this.#compress(this.#pending);
      this.#pendingLength = 0;
    }
    const last = used + Math.floor((data.length - used - 1) / BLOCK) * BLOCK;
    while (used < last) {
      const end = Math.min(last, used + INPUT_LENGTH);
      this.#compress(data.subarray(used, end));
      used = end;
    }
    this.#pending.set(data.subarray(used));
    this.#pendingLength = data.length - used;
    return this;
  }

  /** The digest; the hash cannot be used any more. */
  digest(): Buffer {
    this.#pending.fill(0, this.#pendingLength);
    this.#core.memory.set(this.#state, 0);
    this.#core.memory.set(this.#pending, INPUT);
    const length = BigInt(this.#pendingLength);
    this.#core.compress(INPUT, INPUT + BLOCK, this.#compressed, length, -1n);
    return Buffer.from(this.#core.memory.slice(0, this.#digestLength));
  }

  /** Takes in whole blocks that are not the last. */
  #compress(blocks: Uint8Array): void {
    const { memory, compress } = this.#core;
    memory.set(this.#state, 0);
    memory.set(blocks, INPUT);
    compress(INPUT, INPUT + blocks.length, this.#compressed, BigInt(BLOCK), 0n);
    this.#state.set(memory.subarray(0, 64));
    this.#compressed += BigInt(blocks.length);
  }
}

/** The compiled function and the memory it works on: the chaining value first, then the input. */
export interface Blake2bCore {
  readonly memory: Uint8Array;
  /**
   * Compresses the blocks from address `from` up to `to`.
   * @param counted bytes compressed before
   * @param step bytes that each block counts for: 128, or what the last block holds
   * @param last -1n for the last block, else 0n
   */
  compress(from: number, to: number, counted: bigint, step: bigint, last: bigint): void;
}

/** Address of the input blocks, and the room for them in bytes. */
export const INPUT = 1024;
const INPUT_LENGTH = 64 << 10;
const PAGES = 2;
export const BLOCK = 128;
const ROUNDS = 12;

/** The initial state, also that of SHA-512. */
const INITIAL = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];

/** Which of the sixteen words of a block each step of a round takes (RFC 7693, 2.7). */
const SIGMA = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
].map((row) => [...row].map((digit) => Number.parseInt(digit, 16)));

/** The words of the working state that each step mixes: columns, then diagonals. */
const STEPS = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

// Parameters of the function by number; the sixteen words of the working state follow them.
const [FROM, TO, COUNTED, STEP, LAST, WORDS] = [0, 1, 2, 3, 4, 5];
const [I32, I64, FUNCTION, NOTHING] = [0x7f, 0x7e, 0x60, 0x40];

/** Instructions as bytes. */
const get = (local: number) => [0x20, local];
const set = (local: number) => [0x21, local];
const load = (offset: number) => [0x29, 3, ...unsigned(offset)];
const store = (offset: number) => [0x37, 3, ...unsigned(offset)];
const constant32 = (value: number) => [0x41, ...signed(BigInt(value))];
const constant64 = (value: bigint) => [0x42, ...signed(BigInt.asIntN(64, value))];
const LESS = [0x49];
const ADD32 = [0x6a];
const ADD = [0x7c];
const XOR = [0x85];
const ROTATE_RIGHT = [0x8a];
const LOOP = [0x03, NOTHING];
const AGAIN_IF = [0x0d, 0];
const END = [0x0b];

/** Compiles the module. Throws where WebAssembly is switched off or memory is limited. */
function assembleBlake2b(): Blake2bCore {
  const body = [...unsigned(1), ...unsigned(16), I64, ...compression(), ...END];
  const module = new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, FUNCTION, 5, I32, I32, I64, I64, I64, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 1, PAGES, PAGES]),
    ...section(7, [2, ...name('memory'), 2, 0, ...name('compress'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
  const { WebAssembly } = globalThis as unknown as WasmHost;
  optimizeWebAssembly();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module));
  return { memory: new Uint8Array(exports.memory.buffer), compress: exports.compress };
}

interface WasmHost {
  WebAssembly: {
    Module: new (code: Uint8Array) => object;
    Instance: new (
      module: object,
    ) => {
      exports: { memory: { buffer: ArrayBuffer }; compress: Blake2bCore['compress'] };
    };
  };
}

function compression(): number[] {
  const code: number[] = [...LOOP];
  const word = (i: number) => WORDS + i;

  code.push(...get(COUNTED), ...get(STEP), ...ADD, ...set(COUNTED));
  for (let i = 0; i < 8; i++) {
    code.push(...constant32(0), ...load(i * 8), ...set(word(i)));
    code.push(...constant64(INITIAL[i] ?? 0n));
    if (i === 4) code.push(...get(COUNTED), ...XOR);
    if (i === 6) code.push(...get(LAST), ...XOR);
    code.push(...set(word(i + 8)));
  }
  for (let round = 0; round < ROUNDS; round++) {
    const order = SIGMA[round % SIGMA.length] ?? [];
    for (const [i, words] of STEPS.entries()) {
      const [a = 0, b = 0, c = 0, d = 0] = words.map(word);
      code.push(...mix(a, b, d, order[2 * i] ?? 0, 32n), ...mixBack(c, d, b, 24n));
      code.push(...mix(a, b, d, order[2 * i + 1] ?? 0, 16n), ...mixBack(c, d, b, 63n));
    }
  }
  for (let i = 0; i < 8; i++) {
    code.push(...constant32(0), ...constant32(0), ...load(i * 8));
    code.push(...get(word(i)), ...XOR, ...get(word(i + 8)), ...XOR, ...store(i * 8));
  }
  code.push(...get(FROM), ...constant32(BLOCK), ...ADD32, ...set(FROM));
  code.push(...get(FROM), ...get(TO), ...LESS, ...AGAIN_IF, ...END);
  return code;
}

/** a += b + input word; d = (d ^ a) rotated. */
function mix(a: number, b: number, d: number, input: number, rotation: bigint): number[] {
  const sum = [...get(a), ...get(b), ...ADD, ...get(FROM), ...load(input * 8), ...ADD, ...set(a)];
  return [...sum, ...rotated(d, a, rotation)];
}

/** c += d; b = (b ^ c) rotated. */
function mixBack(c: number, d: number, b: number, rotation: bigint): number[] {
  return [...get(c), ...get(d), ...ADD, ...set(c), ...rotated(b, c, rotation)];
}

function rotated(target: number, other: number, rotation: bigint): number[] {
  return [
    ...get(target),
    ...get(other),
    ...XOR,
    ...constant64(rotation),
    ...ROTATE_RIGHT,
    ...set(target),
  ];
}

function section(id: number, content: number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function name(text: string): number[] {
  return [text.length, ...Buffer.from(text, 'ascii')];
}

/** LEB128, the variable-length integers of the module format. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const done = rest === ((low & 0x40) === 0 ? 0n : -1n);
  return done ? [low] : [low | 0x80, ...signed(rest)];
}
