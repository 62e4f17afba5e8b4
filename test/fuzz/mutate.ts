/**
 * Inputs of a fuzz run. Each is a function of the seed of the run and its number, and therefore
 * reproducible.
 */

/** Generator of 32-bit numbers from a seed (mulberry32). */
export class Random {
  #state: number;

  constructor(...seeds: readonly number[]) {
    this.#state = 0x9e3779b9;
    for (const seed of seeds) {
      this.#state = Math.imul(this.#state ^ seed, 0x85ebca6b) + 1;
      this.#state ^= this.#state >>> 13;
    }
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error('The list is empty.');
    return found;
  }
}

/** Source material for the inputs of a target. */
export interface Material {
  readonly examples: readonly Buffer[];
  /** Tokens with a meaning for the reader. */
  readonly words: readonly string[];
  /** Offset of the most relevant part of an example; by default the complete example. */
  readonly hotSpot?: (example: Buffer, random: Random) => number;
  /** Repairs parts that the reader checks first, for example a checksum. */
  readonly mend?: (input: Buffer) => void;
}

const largestInput = 2 ** 20;
const numbers = [
  ...[0n, 1n, 2n, 7n, 8n, 9n, 63n, 64n, 255n, 256n, 511n, 512n, 65_535n, 65_536n],
  ...[31n, 32n, 52n, 53n, 56n, 62n, 63n, 64n].flatMap((bits) => [
    2n ** bits - 1n,
    2n ** bits,
    2n ** bits + 1n,
  ]),
];

/** The input with a number. */
export function createInput(material: Material, seed: number, index: number): Buffer {
  const random = new Random(seed, index);
  let input: Buffer = Buffer.from(random.pick(material.examples));
  for (let left = 1 + random.below(6); left > 0; left--) {
    input = mutated(input, material, random);
    if (input.length > largestInput) input = input.subarray(0, largestInput);
  }
  if (random.below(4) > 0) material.mend?.(input);
  return input;
}

function mutated(input: Buffer, material: Material, random: Random): Buffer {
  const { examples, words, hotSpot } = material;
  const at = Math.min(
    hotSpot && random.below(4) > 0 ? hotSpot(input, random) : random.below(input.length + 1),
    input.length,
  );
  const end = Math.min(input.length, at + 1 + random.below(random.below(8) === 0 ? 4096 : 16));
  const replace = (piece: Buffer, until = at) =>
    Buffer.concat([input.subarray(0, at), piece, input.subarray(Math.max(at, until))]);
  switch (random.below(10)) {
    case 0:
      return replace(Buffer.from([random.below(256)]), at + 1);
    case 1:
      return replace(Buffer.from([(input[at] ?? 0) ^ (1 << random.below(8))]), at + 1);
    case 2:
      return replace(binaryNumber(random), at + 8);
    case 3:
      return replace(binaryNumber(random).subarray(4), at + 4);
    case 4:
      return replace(Buffer.alloc(0), end);
    case 5:
      return replace(repeatPiece(input.subarray(at, end), random));
    case 6: {
      const other = random.pick(examples);
      const from = random.below(other.length);
      return replace(other.subarray(from, from + random.below(2048)), end);
    }
    case 7:
      return replaceNumber(input, at, random);
    case 8:
      return replace(repeatPiece(Buffer.from(words.length > 0 ? random.pick(words) : ' '), random));
    default:
      return replace(Buffer.from(words.length > 0 ? random.pick(words) : ' '), end);
  }
}

function binaryNumber(random: Random): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, random.pick(numbers)));
  return bytes;
}

/** Usually a few repetitions, sometimes enough to expose recursion and quadratic time. */
function repeatPiece(piece: Buffer, random: Random): Buffer {
  const times = random.below(8) === 0 ? 10_000 : 1 + random.below(4);
  return Buffer.concat(Array.from({ length: times }, () => piece)).subarray(0, largestInput / 4);
}

/** Replaces the next number in a text. */
function replaceNumber(input: Buffer, at: number, random: Random): Buffer {
  const text = input.toString('latin1');
  const found = /-?\d+/.exec(text.slice(at, at + 2000));
  if (!found) return input;
  const sign = random.below(3) === 0 ? '-' : '';
  const tail = random.pick(['', '', '', '.5', 'e9', 'e999']);
  const number = `${sign}${random.pick(numbers)}${tail}`;
  const from = at + found.index;
  return Buffer.from(text.slice(0, from) + number + text.slice(from + found[0].length), 'latin1');
}
