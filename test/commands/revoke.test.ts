/** `permissions revoke` with the flags of `permissions grant`, against the reference server. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ids, startSite } from '../cli/support/site.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const role = ['--role', 'UserVmManager'];

async function countPermissions(...place: string[]): Promise<number> {
  return (await desk.json('permissions', 'list', ...place)).length;
}

async function runForCode(...words: string[]): Promise<number | null> {
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
    expect(await countPermissions('--vm', 'vm-02')).toBe(0);
  });

  it('of the complete system without an object; permissions on objects remain', async () => {
    await desk.must('permissions', 'grant', ...role, '--user', 'jane', '--vm', 'vm-02');
    await desk.must('permissions', 'grant', ...role, '--user', 'jane');
    const before = await countPermissions();
    await desk.must('permissions', 'revoke', ...role, '--user', 'jane');
    expect(await countPermissions()).toBe(before - 1);
    expect(await runForCode('revoke', ...role, '--user', 'jane')).toBe(3);
    expect(await countPermissions('--vm', 'vm-02')).toBe(1);
  });

  it('prints the id of the removed permission with --quiet, and sends no change with --dry-run', async () => {
    const place = [...role, '--user', 'jane', '--vm', 'vm-02'];
    const granted = await desk.must('permissions', 'grant', '-q', ...place);
    const dry = await desk.must('permissions', 'revoke', '--dry-run', ...place);
    expect(dry).toContain(`/permissions/${granted.trim()}`);
    expect(await desk.must('permissions', 'revoke', '-q', ...place)).toBe(granted);
  });

  it('succeeds with --if-needed after an earlier removal', async () => {
    const place = [...role, '--user', 'jane', '--vm', 'vm-02'];
    expect(await runForCode('revoke', ...place)).toBe(3);
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
    ['no user', [...role], '--user REF or --group REF'],
    ['no role is named', ['--user', 'jane', '--object', 'vms/vm-02'], '--role REF'],
    [
      'an additional id',
      ['4f5a', ...role, '--user', 'jane'],
      ': 4f5a and --role exclude each other',
    ],
    [
      'an additional --all',
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

describe('permissions revoke with a service that lists inherited permissions', () => {
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
