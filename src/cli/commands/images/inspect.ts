/** `vmctl images options`, `info`, `extents` and `checksum`: properties of an image. */

import { print } from '../../output/print.ts';
import type { Item } from '../../output/view.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { sizeOf } from '../disks/transfer-options.ts';
import { TicketUrl } from './ticket.ts';

export interface ExtentsFlags {
  readonly context: 'zero' | 'dirty';
}

export interface ChecksumFlags {
  readonly algorithm?: string;
  readonly blockSize?: string;
}

/** Shows methods, features and limits. */
export async function options(cli: CommandContext, text: string): Promise<void> {
  const item = await TicketUrl.use(cli, text, optionsOf);
  await show(cli, item);
}

async function optionsOf(url: TicketUrl): Promise<Item> {
  const what = 'read the options';
  const answer = await url.send(what, { method: 'OPTIONS', accepts: [405] });
  const allow = answer.headers['allow'];
  const methods = allow === undefined ? {} : { methods: allow.split(/\s*,\s*/) };
  // Daemons and proxies from before 1.3 (specification 7).
  if (answer.status === 405 || answer.status === 204) return { ...methods, features: [] };
  const body: unknown = JSON.parse(Buffer.from(answer.body).toString('utf8') || '{}');
  return { ...methods, ...(body as object) };
}

interface Extent {
  readonly start: number;
  readonly length: number;
  readonly zero?: boolean;
}

/** Shows size and features, and how much of the image is zeros. */
export async function info(cli: CommandContext, text: string): Promise<void> {
  const item = await TicketUrl.use(cli, text, async (url) => {
    const list = await extentsOf(url, 'zero');
    const size = list.reduce((sum, { length }) => sum + length, 0);
    const data = list.reduce((sum, { length, zero }) => sum + (zero ? 0 : length), 0);
    const summary = { size, data, zeros: size - data, extents: list.length };
    return { ...summary, ...(await optionsOf(url)) };
  });
  await show(cli, item);
}

async function extentsOf(url: TicketUrl, context: string): Promise<readonly Extent[]> {
  const suffix = `/extents?context=${context}`;
  return (await url.json('read the extents', { method: 'GET', suffix })) as Extent[];
}

/** Lists extents. */
export async function extents(
  cli: CommandContext,
  text: string,
  { context }: ExtentsFlags,
): Promise<void> {
  const list = await TicketUrl.use(cli, text, (url) => extentsOf(url, context));
  const columns = ['start', 'length', context, context === 'zero' ? 'hole' : 'zero'];
  await print(cli, { noun: 'extents', items: list.map((one) => ({ ...one })), columns });
}

/** Shows the checksum. */
export async function checksum(
  cli: CommandContext,
  text: string,
  flags: ChecksumFlags,
): Promise<void> {
  const blockSize = sizeOf(flags.blockSize, '--block-size');
  const query = new URLSearchParams({
    ...(flags.algorithm === undefined ? {} : { algorithm: flags.algorithm }),
    ...(blockSize === undefined ? {} : { block_size: String(blockSize) }),
  });
  const suffix = query.size === 0 ? '/checksum' : `/checksum?${query}`;
  const item = await TicketUrl.use(cli, text, (url) =>
    url.json('read the checksum', { method: 'GET', suffix }),
  );
  await show(cli, item as Item);
}

async function show(cli: CommandContext, item: Item): Promise<void> {
  await print(cli, { noun: 'images', items: [item], single: true });
}
