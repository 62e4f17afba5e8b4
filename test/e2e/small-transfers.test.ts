/** Transfers of small images: without waits if the service responds immediately. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { vmctl } from '../support/server.ts';
import { MiB, makeImage } from '../transfer/support/images.ts';

let home: Home;
let image: string;
let copy: string;

beforeAll(() => {
  home = makeHome();
  image = join(home.folder, 'small.raw');
  copy = join(home.folder, 'copy.raw');
  makeImage(image, MiB);
});

afterAll(() => home.remove());

it('an upload and a download of 1 MiB read the disk or the transfer once after each step', async () => {
  const serve = ['serve', '--memory', '--inventory', 'small', '--speed', '0', '--log', 'requests'];
  const command = [process.execPath, vmctl, 'disks'].map((word) => `'${word}'`).join(' ');
  const commands = [
    `${command} upload '${image}' --storagedomain data1`,
    `${command} download small '${copy}'`,
  ];
  const { code, stderr } = await home.run([...serve, '--', 'sh', '-c', commands.join(' && ')]);
  expect(code, stderr).toBe(0);
  expect(requestsIn(stderr)).toEqual([
    ...['GET /storagedomains', 'POST /disks', 'GET /disks/ID', 'POST /imagetransfers'],
    ...['GET /imagetransfers/ID', 'POST /imagetransfers/ID/finalize', 'GET /imagetransfers/ID'],
    'GET /disks/ID',
    ...['GET /disks', 'POST /imagetransfers', 'GET /imagetransfers/ID'],
    ...['POST /imagetransfers/ID/finalize', 'GET /imagetransfers/ID'],
  ]);
  expect(readFileSync(copy).equals(readFileSync(image))).toBe(true);
});

/** API requests in the log of the server, with `ID` instead of ids. */
function requestsIn(log: string): string[] {
  return [...log.matchAll(/: ([A-Z]+) \S*\/api(\/[^?\s]+)/g)].map(
    ([, method, path = '']) => `${method} ${path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`,
  );
}
