/** Entry point of a hashing thread, which runs several hashes at a time. */

import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../caught-errors.ts';
import { startDigest } from './algorithms.ts';
import type { Digest } from './digest.ts';
import type { HashCommand, HashReply } from './thread-pool.ts';
import { loadHash } from './wasm-hash.ts';

if (!parentPort) throw new Error('this program is a part of vmctl');
const port = parentPort;

/** Running hashes by id. */
const hashes = new Map<number, Digest>();

let last = Promise.resolve();
port.on('message', (order: HashCommand) => {
  last = last.then(() => runCommand(order));
});

async function runCommand(order: HashCommand): Promise<void> {
  if (order.kind === 'start') {
    await loadHash(order.algorithm);
    const digest = startDigest(order.algorithm);
    if (digest) hashes.set(order.id, digest);
  } else if (order.kind === 'drop') hashes.delete(order.id);
  else port.postMessage(createReply(order));
}

function createReply(order: Extract<HashCommand, { kind: 'update' | 'digest' }>): HashReply {
  try {
    const hash = hashes.get(order.id);
    if (!hash) return { failure: 'unknown hash' };
    if (order.kind === 'digest') return { digest: hash.digest() };
    hash.update(order.bytes);
    return {};
  } catch (error) {
    return { failure: getErrorMessage(error) };
  }
}
