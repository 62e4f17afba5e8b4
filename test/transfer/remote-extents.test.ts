/** Layout of an image whose daemon does not report extents. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiObject } from '../../src/client/client.ts';
import { ConflictError } from '../../src/client/errors.ts';
import { Http } from '../../src/client/http.ts';
import type { DiskFormat } from '../../src/formats/image-head.ts';
import { remoteExtents } from '../../src/transfer/remote-extents.ts';
import { RemoteImage } from '../../src/transfer/remote-image.ts';
import { catchFailure } from './support/collect.ts';

describe('the layout of an image without extents', () => {
  let server: Server;
  let http: Http;
  let image: RemoteImage;
  /** Whether the daemon sends the length of its response. */
  let tells: boolean;

  beforeEach(async () => {
    tells = true;
    server = createServer((_request, response) => {
      if (tells) response.setHeader('content-length', 5);
      response.write('image');
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    http = new Http({ trust: {} });
    const { port } = server.address() as AddressInfo;
    const { signal } = new AbortController();
    image = new RemoteImage(`http://127.0.0.1:${port}/images/x`, { http, signal, retries: 0 });
  });

  afterEach(async () => {
    await http.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const layout = (disk: ApiObject, format: DiskFormat) =>
    remoteExtents(image, { features: new Set(), maxReaders: 1, maxWriters: 1 }, disk, format);

  it('is all data, with the length of the response', async () => {
    const expected = { size: 5, data: [{ start: 0, end: 5 }] };
    expect(await layout({ provisioned_size: 7 }, 'raw')).toEqual(expected);
    expect(await layout({ provisioned_size: 7 }, 'cow')).toEqual(expected);
  });

  it('has the size of a raw disk without a length', async () => {
    tells = false;
    expect(await layout({ provisioned_size: 7 }, 'raw')).toEqual({
      ...{ size: 7, data: [{ start: 0, end: 7 }] },
    });
    expect(await layout({ provisioned_size: 0 }, 'raw')).toEqual({ size: 0, data: [] });
  });

  it.each<[string, ApiObject, DiskFormat]>([
    ['a qcow2 image', { provisioned_size: 7 }, 'cow'],
    ['a disk without a size', {}, 'raw'],
  ])('is unknown for %s', async (_, disk, format) => {
    tells = false;
    const error = await catchFailure(layout(disk, format));
    expect(error).toBeInstanceOf(ConflictError);
    expect(error.message).toBe('the image daemon does not report the size of the image');
  });
});
