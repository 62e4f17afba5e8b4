/** Hash algorithms for checksums. */
import { createHash, getHashes } from 'node:crypto';
import type { Digest } from './digest.ts';
import { isWasmAlgorithm, WasmHash } from './wasm-hash.ts';

/** Algorithm names of clients, with the names in `node:crypto`. */
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

/** Fastest algorithm. Detects damage, but is not cryptographic. */
export const FAST_ALGORITHM = 'xxh128';

/**
 * Request header of writes: algorithm of the checksum to be requested later. A daemon that supports
 * it hashes the bytes on arrival; others ignore it.
 */
export const ALGORITHM_HEADER = 'checksum-algorithm';

/** Names of the available algorithms; a hardened OpenSSL lacks some. */
export function listAlgorithms(): string[] {
  const present = new Set(getHashes());
  const names = [...CRYPTO_NAMES].filter(([, name]) => present.has(name)).map(([name]) => name);
  return [DEFAULT_ALGORITHM, ...names, FAST_ALGORITHM];
}

/** Starts a hash. Undefined if the algorithm is unknown; `loadHash` must have loaded it. */
export function startDigest(algorithm: string): Digest | undefined {
  if (isWasmAlgorithm(algorithm)) return new WasmHash(algorithm);
  const name = CRYPTO_NAMES.get(algorithm);
  if (name === undefined || !listAlgorithms().includes(algorithm)) return undefined;
  return createHash(name);
}
