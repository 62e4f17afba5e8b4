/** `vmctl can-i` and `who-can`, compared with the answers of the server to the real requests. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { type Home, makeHome } from '../../../support/command.ts';

const grants = [
  ['UserVmManager', 'jane@internal', 'vms/vm-02'],
  ['ClusterAdmin', 'olaf@internal', 'clusters/Default'],
] as const;

/** Questions with the requests that they are about, harmless ones last. */
const questions: readonly (readonly [question: readonly string[], real: readonly string[]])[] = [
  [
    ['update', 'vms/vm-02'],
    ['vms', 'update', 'vm-02', '--comment'],
  ],
  [
    ['start', 'vms/vm-02'],
    ['vms', 'start', 'vm-02'],
  ],
  [
    ['stop', 'vms/vm-02'],
    ['vms', 'stop', 'vm-02'],
  ],
  [
    ['update', 'clusters/Default'],
    ['clusters', 'update', 'Default', '--comment'],
  ],
  [
    ['create', 'tags'],
    ['tags', 'create', '--name'],
  ],
  [
    ['create', 'snapshots', '--on', 'vms/vm-02'],
    ['snapshots', 'create', '--vm', 'vm-02', '--description', 'x'],
  ],
];

describe.each(['standard', 'ovirt'])('the dialect %s', (dialect) => {
  const desk = useSignedInCommand(['--dialect', dialect]);
  let home: Home;

  beforeAll(async () => {
    home = makeHome(desk.server());
    for (const [role, user, on] of grants) {
      await desk.must('permissions', 'grant', '--role', role, '--user', user, '--on', on);
    }
  });
  afterAll(() => home.remove());

  const users = ['admin@internal', 'jane@internal', 'olaf@internal'];
  it.each(users)('answers for %s like the server', async (user) => {
    for (const [question, real] of questions) {
      const { code, stdout, stderr } = await desk.run(['can-i', ...question, '--as', user]);
      expect([0, 1], `${question.join(' ')}: ${stderr}`).toContain(code);
      // Another value for each user: a request without changes requires no permit.
      const needsValue = /^--(?:name|comment)$/.test(real.at(-1) ?? '');
      const words = needsValue ? [...real, user.replace('@', '-')] : real;
      const outcome = await home.runHere(words, { VMCTL_USERNAME: user });
      // The service hides objects that a user may not see.
      const isRefused = outcome.code === 5 || outcome.code === 3;
      const shown = `${user} ${question.join(' ')}\n${stdout}${outcome.stderr}`;
      expect(code, shown).toBe(isRefused ? 1 : 0);
    }
  });

  it('shows the role, its holder and the object that grants the permit', async () => {
    expect(await desk.json('can-i', 'start', 'vms/vm-02', '--as', 'olaf@internal')).toEqual([
      {
        allowed: 'yes',
        permit: 'run_vm',
        object: 'vms/vm-02',
        role: 'ClusterAdmin',
        holder: 'olaf@internal-authz',
        granted_on: 'clusters/Default',
      },
    ]);
  });

  it('lists all users and groups that may run the command', async () => {
    const found = await desk.json('who-can', 'start', 'vms/vm-02');
    const holders = found.map(({ holder }) => holder);
    expect(holders).toContain('admin@internal-authz');
    expect(holders).toContain('jane@internal-authz');
    expect(holders).toContain('olaf@internal-authz');
    const few = await desk.json('who-can', 'create', 'tags');
    expect(few.map(({ holder }) => holder)).not.toContain('jane@internal-authz');
  });
});

describe('permissions that the user cannot read', () => {
  const desk = useSignedInCommand();
  it('cause a warning of who-can', async () => {
    const rule = { operation: 'list', type: 'permission', status: 403, times: 1 };
    const words = ['api', 'POST', '/_vmctl/faults', '--input', '-'];
    expect((await desk.run(words, JSON.stringify(rule))).code).toBe(0);
    const { code, stdout, stderr } = await desk.run(['who-can', 'start', 'vms/vm-02']);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('SuperUser');
    expect(stderr).toMatch(
      /^warning: cannot read the permissions of .*; the list may be incomplete$/m,
    );
  });
});

/** Runs a command as jane, who has the role UserVmManager on `vm-02`. */
const asJane = { VMCTL_USERNAME: 'jane@internal' };

describe('a user without an administrative role', () => {
  describe('of a service that hides the permits of roles', () => {
    const desk = useSignedInCommand();
    it.each([['can-i'], ['who-can']])('gets an error from %s, not the answer no', async (noun) => {
      const { code, stdout, stderr } = await desk
        .home()
        .runHere([noun, 'start', 'vms/vm-01'], asJane);
      expect(code, stdout).toBe(5);
      expect(stderr).toContain('cannot read the permits of the role');
      const hint = noun === 'can-i' ? 'can-i start vms/vm-01 --as USER' : 'who-can start vms/vm-01';
      expect(stderr).toContain(`an administrator can run vmctl ${hint}\n`);
    });
  });

  describe('of an engine', () => {
    const desk = useSignedInCommand(['--dialect', 'ovirt']);
    it('gets an answer', async () => {
      const run = (words: readonly string[]) => desk.home().runHere(words, asJane);
      const yes = await run(['can-i', 'start', 'vms/vm-01']);
      expect(yes, yes.stderr).toMatchObject({ code: 0 });
      expect(yes.stdout).toMatch(/^yes +run_vm +vms\/vm-01 +UserVmManager +jane@internal/m);
      expect(await run(['can-i', 'update', 'clusters/Default'])).toMatchObject({ code: 1 });
    });
  });
});

describe('can-i', () => {
  const desk = useSignedInCommand();
  beforeAll(async () => {
    for (const [role, user, on] of grants) {
      await desk.must('permissions', 'grant', '--role', role, '--user', user, '--on', on);
    }
  });

  it('answers for the caller', async () => {
    expect(await desk.must('can-i', 'delete', 'vms/vm-01')).toMatch(/^yes +delete_vm +vms\/vm-01/m);
  });

  it.each([
    [['frobnicate', 'vms/vm-01'], 'no such operation'],
    [
      ['start', 'web01'],
      'web01: the kind is missing or unknown\nhint: write the kind first: vms/web01',
    ],
    [['get', 'vms/vm-01'], 'reads require no permit'],
    [['start', 'vms'], 'object missing'],
    [['create', 'snapshots'], 'parent missing'],
    [['start', 'vms/vm-01', '--on', 'clusters/Default'], 'does not depend on a cluster'],
    [
      ['create', 'vms', '--on', 'clusters/Default', '--as', 'olaf@internal'],
      'depends on the template',
    ],
    [['create', 'vms', '--on', 'clusters/Default', '--as', 'jane@internal'], 'no  '],
  ])('explains %j', async (words, message) => {
    const { code, stdout, stderr } = await desk.run(['can-i', ...words]);
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain(message);
  });
});
