/** `vmctl events list --on` and `events tail --on`: events that refer to an object. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

interface Event {
  readonly id: string;
  readonly description: string;
  readonly vm?: { readonly id: string };
  readonly cluster?: { readonly id: string };
  readonly user?: { readonly id: string };
}

const list = async (...words: string[]) => await desk.json<Event[]>('events', 'list', ...words);
const findId = async (noun: string, name: string) =>
  (await desk.json<{ id: string }>(noun, 'get', name)).id;

describe('events --on', () => {
  it('lists the events of a VM, a cluster and a user', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', 'one');
    await desk.must('vms', 'update', 'vm-02', '--comment', 'two');
    await desk.must('clusters', 'update', 'Default', '--comment', 'three');
    const all = await list();
    for (const [noun, name, member] of [
      ['vms', 'vm-01', 'vm'],
      ['clusters', 'Default', 'cluster'],
      ['users', 'admin@internal', 'user'],
    ] as const) {
      const id = await findId(noun, name);
      const expected = all.filter((event) => event[member]?.id === id).map((event) => event.id);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(all.length);
      const found = await list('--on', `${noun}/${name}`);
      // The searches of the loop add no events.
      expect(found.map((event) => event.id)).toEqual(expected);
    }
  });

  it('combines the object with --search and --limit', async () => {
    const id = await findId('vms', 'vm-01');
    const found = await list('--on', 'vms/vm-01', '--search', 'severity=normal', '--limit', '1');
    expect(found.map(({ vm }) => vm?.id)).toEqual([id]);
    expect(await list('--on', 'users/admin@internal', '--limit', '2')).toHaveLength(2);
  });

  it('accepts the id of a deleted object', async () => {
    await desk.must('vms', 'create', 'short-lived', '--template', 'Blank', '--cluster', 'Default');
    const id = await findId('vms', 'short-lived');
    await desk.must('vms', 'delete', 'short-lived', '--yes');
    const found = await list('--on', `vms/${id}`);
    expect(found.some(({ description }) => /short-lived/.test(description))).toBe(true);
  });

  it('tails the events of one object', async () => {
    const id = await findId('vms', 'vm-01');
    const words = ['events', 'tail', '--limit', '1', '--count', '1', '-o', 'json'];
    for (const more of [[], ['--severity', 'normal']]) {
      const text = await desk.must(...words, '--on', 'vms/vm-01', ...more);
      expect((JSON.parse(text) as Event).vm?.id).toBe(id);
    }
    const user = await findId('users', 'admin@internal');
    const text = await desk.must(...words, '--on', 'users/admin@internal');
    expect((JSON.parse(text) as Event).user?.id).toBe(user);
  });

  it('shows the search in --curl', async () => {
    const id = await findId('vms', 'vm-01');
    const text = await desk.must('events', 'list', '--on', 'vms/vm-01', '--curl');
    expect(decodeURIComponent(text)).toContain(`_event_vm_id=${id}`);
  });

  it.each([
    ['disks/data', 'events do not refer to disks', 'clusters, datacenters, hosts'],
    ['vms/none', 'vms/none not found', ''],
    ['web01', '--on web01: not a kind and an object', '--on vms/web01'],
  ])('refuses --on %s', async (on, message, hint) => {
    const { code, stderr } = await desk.run(['events', 'list', '--on', on]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
    expect(stderr).toContain(hint);
  });

  it.each([
    [['-o', 'xml'], '-o xml'],
    [['--page', '2'], '--page'],
    [['--page-size', '2'], '--page-size'],
  ])('refuses %j for objects that the service cannot search by id', async (words, flag) => {
    const on = ['--on', 'users/admin@internal'];
    const { code, stderr } = await desk.run(['events', 'list', ...on, ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${flag} is not valid with --on users/NAME`);
    expect(await desk.must('events', 'list', '--on', 'vms/vm-01', ...words)).toBeTypeOf('string');
  });
});

describe('the dialect ovirt', () => {
  const engine = useSignedInCommand(['--dialect', 'ovirt']);

  it('finds the same events', async () => {
    await engine.must('vms', 'update', 'vm-01', '--comment', 'one');
    const { id } = await engine.json<{ id: string }>('vms', 'get', 'vm-01');
    const all = await engine.json<Event[]>('events', 'list');
    const found = await engine.json<Event[]>('events', 'list', '--on', 'vms/vm-01');
    expect(found.length).toBeGreaterThan(0);
    expect(found).toEqual(all.filter(({ vm }) => vm?.id === id));
  });
});

describe('flags of events list', () => {
  it.each([
    ['--severity', 'error', "add --tail, or use --search 'severity=error'"],
    ['--since', '1h', 'add --tail, or use --search'],
    ['--count', '3', 'add --tail, or use --limit'],
    ['--cursor', '/nonexistent/cursor', 'add --tail'],
    ['--until-idle', '1s', 'add --tail'],
    ['--interval', '1s', 'add --tail'],
  ])('%s requires --tail', async (flag, value, hint) => {
    const { code, stdout, stderr } = await desk.run(['events', 'list', flag, value]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${flag} requires --tail\nhint: ${hint}`);
  });

  it('an empty list names the search of the user only', async () => {
    const words = ['events', 'list', '--on', 'vms/vm-01'];
    const searched = await desk.run([...words, '--search', 'severity=alert']);
    expect(searched.stderr).toBe("no events found with --search 'severity=alert'\n");
    const late = await desk.run([...words, '--from', '999999']);
    expect(late.stderr).toBe('no events found\n');
  });
});
