// Entry point of the thread that makes checksums, of several images at a time.
import { parentPort } from 'node:worker_threads';
import { startDigest } from './algorithms.ts';
import { BlockHash } from './block-hash.ts';
import type { Done, Order } from './orders.ts';

if (!parentPort) throw new Error('this program is a part of another one');
const port = parentPort;

/** Checksums under way. */
const hashes = new Map<number, BlockHash>();

port.on('message', (order: Order) => {
  if (order.kind === 'start') start(order);
  else if (order.kind === 'drop') hashes.delete(order.id);
  else port.postMessage(done(order));
});

function start({ id, algorithm, blockSize }: Extract<Order, { kind: 'start' }>): void {
  const begin = () => {
    const digest = startDigest(algorithm);
    if (!digest) throw new Error(`the algorithm ${algorithm} has gone`);
    return digest;
  };
  hashes.set(id, new BlockHash(blockSize, begin));
}

function done(order: Exclude<Order, { kind: 'start' | 'drop' }>): Done {
  try {
    const hash = hashes.get(order.id);
    if (!hash) throw new Error('there is no such checksum');
    if (order.kind === 'update') hash.update(order.bytes);
    else if (order.kind === 'zeros') hash.zeroBlocks(order.blocks);
    else return { checksum: hash.digest() };
    return {};
  } catch (error) {
    return { failure: (error as Error).message };
  }
}
