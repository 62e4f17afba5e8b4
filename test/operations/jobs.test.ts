/** Jobs of the service, and jobs that clients manage. */
import { describe, expect, it } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { startTestServer } from '../support/server.ts';
import { useSite } from './support/site.ts';

const site = useSite();

describe('a job of the service', () => {
  site.both(
    'is opened by an operation, and found by its correlation id',
    async ({ admin, name }) => {
      const vm = await admin.find('/vms', 'vm-02');
      const correlation = name('job');
      const stopped = await admin.send(
        'POST',
        `/vms/${vm.id}/stop`,
        { action: {} },
        {
          'Correlation-Id': correlation,
        },
      );
      const { id } = stopped.object['job'] as { id: string };
      const { list } = await admin.get(`/jobs?search=correlation_id%3D${correlation}`);
      expect(list).toHaveLength(1);
      expect(list[0]).toMatchObject({
        id,
        description: 'Stopping VM vm-02',
        status: 'finished',
        external: 'false',
      });
      const steps = (await admin.get(`/jobs/${id}/steps`)).list;
      expect(steps.map(({ type, status }) => [type, status])).toEqual([
        ['validating', 'finished'],
        ['executing', 'finished'],
        ['finalizing', 'finished'],
      ]);
      const step = await admin.get(`/jobs/${id}/steps/${steps[1]?.['id']}`);
      expect(step.object).toEqual(steps[1]);
    },
  );

  site.both(
    'is named by the answer to a removal, but not opened for everything',
    async (people) => {
      const { admin, name, path } = people;
      const network = { name: name('net'), data_center: { id: path('{datacenter}') } };
      const { id } = await admin.add('/networks', { network });
      const removed = await admin.delete(`/networks/${id}`);
      expect(removed.object['job']).toHaveProperty('href');
      const tag = await admin.add('/tags', { tag: { name: name('tag') } });
      expect((await admin.delete(`/tags/${tag.id}`)).object).not.toHaveProperty('job');
    },
  );

  site.both('cannot be led by a client', async ({ admin, path }) => {
    const { object } = await admin.post(path('/vms/{vm}/stop'));
    const { id } = object['job'] as { id: string };
    for (const action of ['end', 'clear']) {
      const answer = await admin.post(`/jobs/${id}/${action}`, { succeeded: true });
      expect(answer.status, action).toBe(400);
    }
    const step = { type: 'executing', description: 'mine' };
    expect((await admin.post(`/jobs/${id}/steps`, { step })).status).toBe(400);
  });

  it('runs as long as the operation, and names action and object', async () => {
    const server = await startTestServer(['--speed', '0.02', '--inventory', 'small']);
    try {
      const api = await RawApi.signIn(server);
      const { vm: vms } = (await api.json('GET', '/vms?search=status%3Ddown')).json<{
        vm: { id: string }[];
      }>();
      const url = `/vms/${vms[0]?.id}`;
      const started = await api.json('POST', `${url}/start`, { async: true });
      expect(started.status, started.text).toBe(202);
      const action = started.json<{ href: string; id: string; job: { id: string } }>();
      expect(action.job.id).toBe(action.id);
      const status = action.href.slice(action.href.indexOf('/api') + 4);
      expect(['in_progress', 'complete']).toContain(
        (await api.json('GET', status)).json()['status'],
      );
      await api.until(status, (answer) => answer.json()['status'] === 'complete');
      expect((await api.json('GET', url)).json()['status']).toBe('up');
      expect((await api.json('GET', `/jobs/${action.id}`)).json()['status']).toBe('finished');

      const [dc] = (await api.json('GET', '/datacenters')).json<{ data_center: { id: string }[] }>()
        .data_center;
      const [cluster] = (await api.json('GET', '/clusters')).json<{ cluster: { id: string }[] }>()
        .cluster;
      expect(dc && cluster).toBeTruthy();
      const added = await api.json('POST', '/hosts', {
        name: 'later',
        address: '10.1.2.3',
        root_password: 'secret',
        cluster: { id: cluster?.id },
      });
      expect(added.status, added.text).toBe(202);
      const host = added.json<{ id: string; link: { rel: string; href: string }[] }>();
      const creation = host.link.find(({ rel }) => rel === 'creation_status')?.href ?? '';
      const path = creation.slice(creation.indexOf('/api') + 4);
      await api.until(path, (answer) => answer.json()['status'] === 'complete');
      expect((await api.xml('GET', path)).text).toMatch(/<creation /);
      expect((await api.json('GET', `${path}x`)).status).toBe(404);
      expect((await api.json('GET', `/hosts/${host.id}`)).json()['status']).toBe('up');
    } finally {
      await server.stop();
    }
  });

  it('is aborted when the object goes another way', async () => {
    const server = await startTestServer(['--speed', '1000', '--inventory', 'small']);
    try {
      const api = await RawApi.signIn(server);
      const { vm: vms } = (await api.json('GET', '/vms?search=status%3Ddown')).json<{
        vm: { id: string }[];
      }>();
      const url = `/vms/${vms[0]?.id}`;
      const job = (await api.json('POST', `${url}/start`, {})).json<{ job: { id: string } }>().job;
      expect((await api.json('GET', `/jobs/${job.id}`)).json()['status']).toBe('started');
      expect((await api.json('POST', `${url}/stop`, {})).status).toBe(200);
      expect((await api.json('GET', `/jobs/${job.id}`)).json()['status']).toBe('aborted');
    } finally {
      await server.stop();
    }
  });
});

describe('a job of a client', () => {
  const job = { description: 'Moving the data' };

  site.both(
    'has the steps that the client adds, and ends when the client says so',
    async (people) => {
      const { admin } = people;
      const { id } = await admin.add('/jobs', { job });
      const first = await admin.add(`/jobs/${id}/steps`, {
        step: { type: 'executing', description: 'first' },
      });
      const below = await admin.add(`/jobs/${id}/steps`, {
        step: { type: 'executing', description: 'below', parent_step: { id: first.id } },
      });
      await admin.must(`/jobs/${id}/steps/${below.id}/end`, { succeeded: false });
      const steps = (await admin.get(`/jobs/${id}/steps`)).list;
      expect(steps.map(({ status }) => status)).toEqual(['started', 'failed']);
      // Running steps are cleared later.
      await admin.must(`/jobs/${id}/clear`);
      expect((await admin.get(`/jobs/${id}`)).object['auto_cleared']).toBe('true');
      await admin.must(`/jobs/${id}/end`, { succeeded: true });
      const ended = (await admin.get(`/jobs/${id}`)).object;
      // A step of it failed.
      expect(ended).toMatchObject({ status: 'failed', external: 'true' });
      await admin.must(`/jobs/${id}/end`, { succeeded: true });
      await admin.must(`/jobs/${id}/clear`);
      expect((await admin.get(`/jobs/${id}`)).status).toBe(404);
      const { list } = await admin.get('/events?max=20');
      expect(list.map(({ code }) => code)).toContain('11000');
    },
  );

  site.both('takes in a request that names it', async ({ admin, path }) => {
    const { id } = await admin.add('/jobs', { job });
    const { object } = await admin.post(path(`/vms/{vm}/stop?JobId=${id}`));
    expect((object['job'] as { id: string }).id).toBe(id);
    expect((await admin.post(path('/vms/{vm}/stop?JobId={unknown}'))).status).toBe(404);
  });

  site.incomplete('POST', '/jobs', { job: { auto_cleared: true } }, 'description');
  site.forbidden('POST', '/jobs', { job });
  site.unknown('GET', '/jobs/{unknown}');
  site.unknown('POST', '/jobs/{unknown}/end', { action: {} });
});
