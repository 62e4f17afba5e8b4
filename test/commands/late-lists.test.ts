/** A service that lists new objects only after a while, as engines do while the work has just begun. */
import { request } from 'node:https';
import { afterEach, expect, it } from 'vitest';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
let front: TlsServer | undefined;
afterEach(() => front?.close());

interface Front {
  /** How many lists of VMs are answered without the new ones. */
  readonly hidden: number;
  /** Constant status of the job of the change. */
  readonly job?: string;
}

/** Passes requests on to the server of the desk, and leaves new VMs out of the first lists. */
async function startFront({ hidden, job }: Front): Promise<() => number> {
  const { api_url: api } = desk.server().ready;
  let isCloned = false;
  let lists = 0;
  front = await startTlsServer((incoming, answer) => {
    const { method = '', url: path = '', headers } = incoming;
    const isList = /^\/virt-app\/api\/vms(\?|$)/.test(path) && method === 'GET';
    const target = new URL(path, api);
    const onward = request(
      target,
      { method, headers: { ...headers, host: target.host }, rejectUnauthorized: false },
      async (found) => {
        const chunks: Buffer[] = [];
        for await (const chunk of found) chunks.push(chunk as Buffer);
        let body = Buffer.concat(chunks);
        if (isCloned && isList && lists++ < hidden) body = Buffer.from('{"vm":[]}');
        if (job !== undefined && path.includes('/api/jobs')) {
          const search = new URL(path, api).searchParams.get('search') ?? '';
          const id = search.replace('correlation_id=', '');
          body = Buffer.from(
            JSON.stringify({ job: [{ id: '1', status: job, correlation_id: id }] }),
          );
        }
        if (path.endsWith('/clone')) isCloned = true;
        const { 'content-length': _length, ...rest } = found.headers;
        answer.writeHead(found.statusCode ?? 500, { ...rest, 'content-length': body.length });
        answer.end(body);
      },
    );
    incoming.pipe(onward);
  });
  return () => lists;
}

async function clone(name: string, ...words: string[]) {
  const { VMCTL_TOKEN: _token, HOME: _home, ...env } = front?.env ?? {};
  return await desk.home().runHere(['vms', 'clone', 'vm-02', '--name', name, ...words], env);
}

it('vms clone waits until the new VM is listed, and prints it', async () => {
  const lists = await startFront({ hidden: 4 });
  const { code, stdout, stderr } = await clone('late', '-q');
  expect([code, stderr]).toEqual([
    0,
    expect.not.stringContaining(', but the new VM cannot be identified'),
  ]);
  const { id } = await desk.json<{ id: string }>('vms', 'get', 'late');
  expect(stdout.trim()).toBe(id);
  expect(lists()).toBeGreaterThan(4);
});

it('stops waiting when the job has ended and the new VM is not identifiable', async () => {
  await startFront({ hidden: 1_000, job: 'finished' });
  const { stdout, stderr } = await clone('unseen', '-q');
  expect([stdout, stderr]).toEqual([
    '',
    expect.stringContaining(', but the new VM cannot be identified'),
  ]);
});

it('fails when the job fails', async () => {
  await startFront({ hidden: 1_000, job: 'failed' });
  const { code, stderr } = await clone('failed');
  expect([code, stderr]).toEqual([6, expect.stringContaining('clone vms/vm-02: failed')]);
});
