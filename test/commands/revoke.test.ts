/** `permissions revoke` with the words of `permissions grant`, against the reference server. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ids, startSite } from '../cli/support/site.ts';
import { useDesk } from './support/desk.ts';

const desk = useDesk();
const role = ['--role', 'UserVmManager'];

async function permissionsOf(...place: string[]): Promise<number> {
  return (await desk.json('permissions', 'list', ...place)).length;
}

async function codeOf(...words: string[]): Promise<number | null> {
  return (await desk.run(['permissions', ...words])).code;
}

describe('permissions revoke', () => {
  beforeEach(async () => {
    await desk.run(['permissions', 'revoke', '--all', '--yes', '--vm', 'vm-02']);
  });

  it.each([
    ['--object', ['--object', 'vms/vm-02'], ['--object', 'vms/vm-02']],
    ['--on', ['--on', 'vms/vm-02'], ['--on', 'vms/vm-02']],
    ['the flag of the object', ['--vm', 'vm-02'], ['--vm', 'vm-02']],
    ['another of these', ['--vm', 'vm-02'], ['--object', 'vms/vm-02']],
  ])('takes what grant took: %s', async (_, granted, revoked) => {
    await desk.must('permissions', 'grant', ...role, '--user', 'jane', ...granted);
    await desk.must('permissions', 'grant', ...role, '--group', 'Everyone', ...granted);
    await desk.must('permissions', 'revoke', ...role, '--user', 'jane', ...revoked);
    const [left, ...others] = await desk.json('permissions', 'list', '--vm', 'vm-02');
    expect(others).toEqual([]);
    expect(left).toHaveProperty('group');
    await desk.must('permissions', 'revoke', ...role, '--group', 'Everyone', ...revoked);
    expect(await permissionsOf('--vm', 'vm-02')).toBe(0);
  });

  it('of the whole system, where no object is named: what is on objects stays', async () => {
    await desk.must('permissions', 'grant', ...role, '--user', 'jane', '--vm', 'vm-02');
    await desk.must('permissions', 'grant', ...role, '--user', 'jane');
    const before = await permissionsOf();
    await desk.must('permissions', 'revoke', ...role, '--user', 'jane');
    expect(await permissionsOf()).toBe(before - 1);
    expect(await codeOf('revoke', ...role, '--user', 'jane')).toBe(3);
    expect(await permissionsOf('--vm', 'vm-02')).toBe(1);
  });

  it('prints the id of what it took away with --quiet, and sends nothing with --dry-run', async () => {
    const place = [...role, '--user', 'jane', '--vm', 'vm-02'];
    const granted = await desk.must('permissions', 'grant', '-q', ...place);
    const dry = await desk.must('permissions', 'revoke', '--dry-run', ...place);
    expect(dry).toContain(`/permissions/${granted.trim()}`);
    expect(await desk.must('permissions', 'revoke', '-q', ...place)).toBe(granted);
  });

  it('is no failure with --if-needed where it was taken away before', async () => {
    const place = [...role, '--user', 'jane', '--vm', 'vm-02'];
    expect(await codeOf('revoke', ...place)).toBe(3);
    const { code, stdout, stderr } = await desk.run([
      'permissions',
      'revoke',
      '--if-needed',
      ...place,
    ]);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('nothing to do');
  });

  it.each([
    ['nobody is named', [...role], '--user REF or --group REF'],
    ['no role is named', ['--user', 'jane', '--object', 'vms/vm-02'], '--role REF'],
    [
      'an id is given, too',
      ['4f5a', ...role, '--user', 'jane'],
      ': 4f5a and --role exclude each other',
    ],
    [
      'all are meant, too',
      ['--all', ...role, '--vm', 'vm-02'],
      ': --all and --role exclude each other',
    ],
    ['two objects', [...role, '--on', 'vms/vm-02', '--object', 'vms/vm-01'], 'use one of them'],
  ])('is refused before anything is sent: %s', async (_, words, message) => {
    const { code, stderr } = await desk.run(['permissions', 'revoke', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe('permissions revoke at a service that lists what is inherited', () => {
  it('takes only what is on the object', async () => {
    const api = '/virt-app/api';
    const common = { role: { id: 'r1' }, user: { id: 'u1' } };
    const permission = [
      { id: 'p1', ...common, cluster: { id: ids.lab } },
      { id: 'p2', ...common, vm: { id: ids.web01 } },
      { id: 'p3', ...common, vm: { id: ids.web02 } },
    ];
    const site = await startSite({
      [`GET ${api}/roles`]: { body: { role: [{ id: 'r1', name: 'UserVmManager' }] } },
      [`GET ${api}/users`]: { body: { user: [{ id: 'u1', user_name: 'jane@internal' }] } },
      [`GET ${api}/vms/${ids.web01}/permissions`]: { body: { permission } },
      [`GET ${api}/vms/${ids.web01}/permissions/p2`]: { body: permission[1] },
    });
    try {
      const words = ['--user', 'jane@internal', '--object', 'vms/web01', '--dry-run'];
      const { stdout, stderr } = await site.run(['permissions', 'revoke', ...role, ...words]);
      expect(stderr).toBe('');
      expect(stdout).toContain(`DELETE ${site.stub.url}${api}/vms/${ids.web01}/permissions/p2`);
    } finally {
      await site.close();
    }
  });
});
