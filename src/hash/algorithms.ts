/** Hash algorithms for checksums. */
import { createHash, getHashes } from 'node:crypto';
import type { Digest } from './digest.ts';
import { isWasmAlgorithm, WasmHash } from './wasm-hash.ts';

/** Names as clients know them, with those of Node's crypto where it has them. */
const CRYPTO_NAMES = new Map([
  ['blake2s', 'blake2s256'],
  ['md5', 'md5'],
  ['ripemd160', 'ripemd160'],
  ['sha1', 'sha1'],
  ['sha224', 'sha224'],
  ['sha256', 'sha256'],
  ['sha384', 'sha384'],
  ['sha3_224', 'sha3-224'],
  ['sha3_256', 'sha3-256'],
  ['sha3_384', 'sha3-384'],
  ['sha3_512', 'sha3-512'],
  ['sha512', 'sha512'],
  ['sha512_224', 'sha512-224'],
  ['sha512_256', 'sha512-256'],
  ['sm3', 'sm3'],
]);

export const DEFAULT_ALGORITHM = 'blake2b';

/** The fastest one: it finds what was damaged, not what somebody has forged. */
export const FAST_ALGORITHM = 'xxh128';

/**
 * Header of a request that writes bytes: the algorithm of the checksum that will be asked for. A daemon that
 * knows it hashes them as they come; others ignore it.
 */
export const ALGORITHM_HEADER = 'checksum-algorithm';

/** Names of the algorithms that work here; a hardened OpenSSL leaves some out. */
export function algorithms(): string[] {
  const present = new Set(getHashes());
  const names = [...CRYPTO_NAMES].filter(([, name]) => present.has(name)).map(([name]) => name);
  return [DEFAULT_ALGORITHM, ...names, FAST_ALGORITHM];
}

/** Starts a hash. Undefined if the algorithm is unknown; `loadHash` must have loaded it. */
export function startDigest(algorithm: string): Digest | undefined {
  if (isWasmAlgorithm(algorithm)) return new WasmHash(algorithm);
  const name = CRYPTO_NAMES.get(algorithm);
  if (name === undefined || !algorithms().includes(algorithm)) return undefined;
  return createHash(name);
}
