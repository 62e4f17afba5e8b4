/** Sequential requests use one connection, because another one costs a handshake. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

let server: TlsServer;
let home: Home;
const sockets = new Set<unknown>();
const paths: string[] = [];

/** Longer than a TLS record, so that it arrives in several pieces. */
const vms = Array.from({ length: 100 }, (_, index) => ({
  id: `vm-${index}`,
  name: `vm-${index}`,
  description: 'x'.repeat(500),
  host: { id: `host-${index % 2}` },
  cluster: { id: 'cluster-1' },
}));

beforeAll(async () => {
  server = await startTlsServer((request, response) => {
    // The library closes the connection after HEAD, which detects the service.
    if (request.method !== 'HEAD') sockets.add(request.socket);
    const path = (request.url ?? '').replace('/virt-app/api', '');
    paths.push(path);
    const [, collection, id] = path.split('/');
    const object = { id, name: `name of ${id}` };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(collection === 'vms' ? { vm: vms } : object));
  });
  home = makeHome();
});

afterAll(() => {
  home.remove();
  server.close();
});

it('a list, and the names of the referenced objects', async () => {
  const { code, stdout, stderr } = await home.run(['vms', 'list'], server.env);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('name of host-1');
  expect(paths).toEqual(expect.arrayContaining(['/vms', '/hosts/host-1', '/clusters/cluster-1']));
  expect(sockets.size).toBe(1);
});
