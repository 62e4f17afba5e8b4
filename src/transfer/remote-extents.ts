/** Data ranges of a remote image. Everything is data if its daemon does not report extents. */

import { ConflictError } from '../client/errors.ts';
import type { Extent } from '../extents/file-extents.ts';
import type { Range } from '../extents/range-set.ts';
import type { DiskFormat } from '../formats/image-head.ts';
import type { Resource } from '../model/resource.ts';
import type { RemoteExtents } from './parse-extents.ts';
import type { Capabilities, RemoteImage } from './remote-image.ts';

/** Layout of the image of a disk. Everything is data if its zeros are unknown. */
export async function remoteExtents(
  image: RemoteImage,
  { features }: Capabilities,
  disk: Resource<'disk'>,
  format: DiskFormat,
): Promise<RemoteExtents> {
  if (features.has('extents')) return await image.extents();
  const known = format === 'raw' ? Number(disk.provisioned_size) : Number.NaN;
  const size = (await image.size()) ?? known;
  if (!Number.isSafeInteger(size)) {
    throw new ConflictError('the image daemon does not report the size of the image');
  }
  return { size, data: size === 0 ? [] : [{ start: 0, end: size }] };
}

/** Data ranges as extents. */
export async function* dataExtents(data: readonly Range[]): AsyncGenerator<Extent> {
  for (const run of data) yield { ...run, zero: false };
}
