/** Transfers of a service whose API is signed by another authority than its image daemon, over real TLS. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { identity } from '../support/stub-server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const pki = '/services/pki-resource';

let front: Server;
let env: NodeJS.ProcessEnv;
let image: string;
/** Response of the service to a request for its authority; undefined for the real response. */
let authority: { readonly status: number; readonly body: string } | undefined;
const asked: string[] = [];

beforeAll(async () => {
  const { certificate, key, ca } = identity('of the API');
  const back = new URL(desk.server().ready.base_url);
  front = createServer({ cert: certificate, key }, (incoming, outgoing) => {
    const { url = '/', method, headers } = incoming;
    asked.push(url);
    if (url.includes(pki) && authority) {
      outgoing.writeHead(authority.status).end(authority.body);
      return;
    }
    const { hostname, port } = back;
    const way = { hostname, port, path: url, method, headers: { ...headers, host: back.host } };
    const onward = request({ ...way, ca: desk.server().ca }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const file = join(desk.home().folder, 'api-ca.pem');
  writeFileSync(file, ca);
  const { port } = front.address() as AddressInfo;
  env = { VMCTL_URL: `https://127.0.0.1:${port}${back.pathname}`, VMCTL_CA_FILE: file };
  image = join(desk.home().folder, 'image.raw');
  writeFileSync(image, Buffer.alloc(1 << 20, 7));
});

beforeEach(() => {
  authority = undefined;
  asked.length = 0;
});

afterAll(() => {
  front.closeAllConnections();
  front.close();
});

const run = (...words: string[]) => desk.home().runHere(words, env);

async function listIds(noun: string): Promise<readonly unknown[]> {
  return (await desk.json(noun, 'list')).map(({ id }) => id).sort();
}

describe('an image daemon with the authority that the service returns', () => {
  it('is uploaded to and downloaded from', async () => {
    const made = await run('disks', 'upload', image, '--name', 'front', '--storagedomain', 'data1');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const copy = join(desk.home().folder, 'copy.raw');
    const fetched = await run('disks', 'download', 'front', copy);
    expect(fetched, fetched.stderr).toMatchObject({ code: 0 });
    expect(readFileSync(copy).equals(readFileSync(image))).toBe(true);
    rmSync(copy);
  });

  it('is requested once a command, before the creation of the disk', async () => {
    await run('disks', 'upload', image, '--name', 'once', '--storagedomain', 'data1');
    const at = asked.findIndex((url) => url.includes(pki));
    expect(asked.filter((url) => url.includes(pki))).toHaveLength(1);
    expect(asked.findIndex((url) => url.includes('/imagetransfers'))).toBeGreaterThan(at);
  });

  it('does not make others trusted for requests', async () => {
    const { code } = await desk
      .home()
      .runHere(['vms', 'list'], { ...env, VMCTL_URL: desk.server().ready.base_url });
    expect(code).toBe(8);
  });
});

describe('an image daemon with an unknown authority', () => {
  const answers = [
    ['nothing', { status: 404, body: '' }],
    ['no certificate', { status: 200, body: '<html></html>' }],
    ['another authority', { status: 200, body: identity('of nobody').ca }],
    ['the certificate of a server', { status: 200, body: identity('of nobody').certificate }],
  ] as const;
  const copy = () => join(desk.home().folder, 'untrusted.raw');
  const place = ['--storagedomain', 'data1'];
  const commands = [
    [() => ['disks', 'upload', image, '--name', 'left', ...place], 'and the new disk deleted'],
    [
      () => [
        'vms',
        'create',
        '--name',
        'left',
        '--cluster',
        'Default',
        '--image',
        image,
        ...place,
        '--cleanup',
      ],
      'created objects were removed; nothing remains',
    ],
    [() => ['disks', 'download', 'front', copy()], ', and its data was removed'],
  ] as const;

  it.each(answers)('is not trusted, and no disk remains: %s', async (_, answer) => {
    authority = answer;
    for (const [words, says] of commands) {
      const before = [await listIds('disks'), await listIds('vms')];
      const { code, stderr } = await run(...words());
      expect(code, stderr).toBe(8);
      expect(stderr).toContain('is not trusted');
      expect(stderr).toContain(says);
      expect(existsSync(copy())).toBe(false);
      expect([await listIds('disks'), await listIds('vms')]).toEqual(before);
    }
  });
});
