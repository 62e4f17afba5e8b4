/** Where a remote image has data, also where its daemon cannot tell. */
import type { Thing } from '../client/client.ts';
import { ConflictError } from '../client/errors.ts';
import type { Extent, Range } from './blocks.ts';
import type { DiskFormat } from './image-format.ts';
import type { Layout } from './remote-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';

/** The layout of the image of a disk; all of it is data where nothing is known about zeros. */
export async function layoutOf(
  image: RemoteImage,
  { features }: Capabilities,
  disk: Thing,
  format: DiskFormat,
): Promise<Layout> {
  if (features.has('extents')) return await image.layout();
  const known = format === 'raw' ? Number(disk['provisioned_size']) : Number.NaN;
  const size = (await image.size()) ?? known;
  if (!Number.isSafeInteger(size)) {
    throw new ConflictError('the image daemon does not say how long the image is');
  }
  return { size, data: size === 0 ? [] : [{ start: 0, end: size }] };
}

/** Runs of data as extents. */
export async function* dataExtents(data: readonly Range[]): AsyncGenerator<Extent> {
  for (const run of data) yield { ...run, zero: false };
}
