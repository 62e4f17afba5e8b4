/** `vmctl images options`, `info`, `extents` and `checksum`: properties of an image. */

import { isRecord } from '../../../records.ts';
import { printView } from '../../output/print.ts';
import type { Item } from '../../output/view.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { parseByteSize } from '../disks/transfer-options.ts';
import { TicketUrl } from './ticket.ts';

export interface ExtentsFlags {
  readonly context: 'zero' | 'dirty';
}

export interface ChecksumFlags {
  readonly algorithm?: string;
  readonly blockSize?: string;
}

/** Prints methods, features and limits. */
export async function printOptions(cli: CommandContext, text: string): Promise<void> {
  const item = await TicketUrl.use(cli, text, fetchOptions);
  await printItem(cli, item);
}

async function fetchOptions(url: TicketUrl): Promise<Item> {
  const what = 'read the options';
  const answer = await url.send(what, { method: 'OPTIONS', accepts: [405] });
  const allow = answer.headers['allow'];
  const methods = allow === undefined ? {} : { methods: allow.split(/\s*,\s*/) };
  // Daemons and proxies before version 1.3 (specification 7).
  if (answer.status === 405 || answer.status === 204) return { ...methods, features: [] };
  const body: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8') || '{}');
  return { ...methods, ...(isRecord(body) ? body : {}) };
}

interface Extent {
  readonly start: number;
  readonly length: number;
  readonly zero?: boolean;
}

function isExtent(value: unknown): value is Extent {
  return (
    isRecord(value) && typeof value['start'] === 'number' && typeof value['length'] === 'number'
  );
}

/** Prints size, features, and the amount of zeros. */
export async function printInfo(cli: CommandContext, text: string): Promise<void> {
  const item = await TicketUrl.use(cli, text, async (url) => {
    const list = await fetchExtents(url, 'zero');
    const size = list.reduce((sum, { length }) => sum + length, 0);
    const data = list.reduce((sum, { length, zero }) => sum + (zero ? 0 : length), 0);
    const summary = { size, data, zeros: size - data, extents: list.length };
    return { ...summary, ...(await fetchOptions(url)) };
  });
  await printItem(cli, item);
}

async function fetchExtents(url: TicketUrl, context: string): Promise<readonly Extent[]> {
  const suffix = `/extents?context=${context}`;
  const list = await url.json('read the extents', { method: 'GET', suffix });
  return Array.isArray(list) ? list.filter(isExtent) : [];
}

export async function printExtents(
  cli: CommandContext,
  text: string,
  { context }: ExtentsFlags,
): Promise<void> {
  const list = await TicketUrl.use(cli, text, (url) => fetchExtents(url, context));
  const columns = ['start', 'length', context, context === 'zero' ? 'hole' : 'zero'];
  await printView(cli, { noun: 'extents', items: list.map((one) => ({ ...one })), columns });
}

export async function printChecksum(
  cli: CommandContext,
  text: string,
  flags: ChecksumFlags,
): Promise<void> {
  const blockSize = parseByteSize(flags.blockSize, '--block-size');
  const query = new URLSearchParams({
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...(blockSize === undefined ? {} : { block_size: String(blockSize) }),
  });
  const suffix = query.size === 0 ? '/checksum' : `/checksum?${query}`;
  const item = await TicketUrl.use(cli, text, (url) =>
    url.json('read the checksum', { method: 'GET', suffix }),
  );
  await printItem(cli, isRecord(item) ? item : {});
}

async function printItem(cli: CommandContext, item: Item): Promise<void> {
  await printView(cli, { noun: 'images', items: [item], single: true });
}
