/** A data folder relative to the working directory. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RawApi, send } from '../support/raw.ts';
import { startServerProcess } from '../support/server.ts';

describe('serve --data with a relative path', () => {
  it('uploads and downloads data', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vmctl-relative-'));
    const data = relative(process.cwd(), folder);
    const server = await startServerProcess([
      '--data',
      data,
      '--speed',
      '0',
      '--inventory',
      'small',
    ]);
    try {
      const api = await RawApi.signIn(server);
      const added = await api.json('POST', '/disks', {
        ...{ name: 'relative', format: 'raw', provisioned_size: 2 ** 20 },
        storage_domains: { storage_domain: [{ name: 'data1' }] },
      });
      const disk = { id: String(added.json()['id']) };
      await api.until(`/disks/${disk.id}`, (answer) => answer.json()['status'] === 'ok');
      const transfer = async (direction: string) => {
        const made = await api.json('POST', '/imagetransfers', { disk, direction });
        const path = `/imagetransfers/${String(made.json()['id'])}`;
        const ready = await api.until(path, ({ text }) => text.includes('transfer_url'));
        return { path, url: String(ready.json()['transfer_url']) };
      };
      const finish = async (path: string) => {
        await api.json('POST', `${path}/finalize`, {});
        await api.until(path, (answer) => String(answer.json()['phase']).startsWith('finished'));
      };

      const up = await transfer('upload');
      const body = Buffer.alloc(2 ** 20, 'kept where it was said');
      const sent = await send(up.url, { method: 'PUT', body, ca: server.ca });
      expect(sent.status, sent.text).toBe(200);
      await finish(up.path);
      const down = await transfer('download');
      const got = await send(down.url, { ca: server.ca });
      expect(got.bytes.equals(body)).toBe(true);
      await finish(down.path);
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
