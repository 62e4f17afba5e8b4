/** Actions that delete more than the named object: their help, and the question before them. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { asksBeforeDeletions } from '../../src/cli/verbs/additional-deletions.ts';
import { listModelNouns } from '../../src/cli/verbs/collections.ts';
import { listVerbs, type Verb } from '../../src/cli/verbs/derive-verbs.ts';
import { alsoDeletedByType } from '../../src/model/derive/also-deletes.ts';
import { vmctl } from '../support/server.ts';
import { hasTmux, openPane } from './support/pane.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const descriptions = ['first', 'second', 'third'];

beforeAll(async () => {
  for (const name of descriptions) {
    await desk.must('snapshots', 'create', '--vm', 'vm-02', '--description', name, '-q');
  }
});

async function listSnapshots(): Promise<readonly unknown[]> {
  const all = await desk.json('snapshots', 'list', '--vm', 'vm-02');
  return all
    .filter((one) => one['snapshot_type'] === 'regular')
    .map((one) => one['description'])
    .sort();
}

const declared = Object.entries(alsoDeletedByType).flatMap(([type, operations]) =>
  Object.entries(operations).map(([name, text]) => ({ type, name, text })),
);
const verbs: readonly Verb[] = listModelNouns().flatMap((noun) => [...listVerbs(noun)]);

describe.each(declared)('$type $name', ({ type, name, text }) => {
  const all = verbs.filter(({ candidates }) =>
    candidates.some(({ operation }) => operation.type === type && operation.name === name),
  );

  it('has a command whose help states the deletion', async () => {
    expect(all.some((verb) => verb.kind === 'action' || verb.name === 'delete')).toBe(true);
    for (const verb of all) {
      const page = await desk.must(verb.noun, verb.name, '--help');
      const help = page.replaceAll(/\s+/g, ' ');
      // detach and remove-vm delete nothing.
      const isDeletion = verb.kind === 'action' || verb.name === 'delete';
      expect(help.includes(`The command ${text}.`), verb.name).toBe(isDeletion);
      expect(help.includes('It asks first; --yes confirms.')).toBe(verb.kind === 'action');
    }
  });

  it.each(all.filter(asksBeforeDeletions))(
    '$noun $name changes nothing without --yes',
    async ({ noun, name: verb }) => {
      const words = noun === 'vms' ? ['vm-02'] : ['second', '--vm', 'vm-02'];
      const before = await listSnapshots();
      const { code, stderr } = await desk.run([noun, verb, ...words]);
      expect(stderr).toContain(text);
      expect(stderr).toContain('confirm with --yes');
      expect(code).toBe(12);
      expect(await listSnapshots()).toEqual(before);
      const { stdout } = await desk.run([noun, verb, ...words, '--dry-run']);
      expect(stdout).toContain(`POST`);
    },
  );
});

describe('snapshots restore', () => {
  it('names the later snapshots only', async () => {
    const { stderr } = await desk.run(['snapshots', 'restore', 'second', '--vm', 'vm-02']);
    expect(stderr).toContain('all later snapshots: third\n');
  });

  it('names none for the newest snapshot', async () => {
    const { stderr } = await desk.run(['snapshots', 'restore', 'third', '--vm', 'vm-02']);
    expect(stderr).toContain('all later snapshots\n');
  });
});

describe('a snapshot of an unknown VM', () => {
  it('has the command with its name and the flag of the VM as hint', async () => {
    const { code, stderr } = await desk.run(['snapshots', 'restore', 'no such']);
    expect(code).toBe(2);
    expect(stderr).toContain("hint: vmctl snapshots restore 'no such' --vm REF\n");
  });
});

describe('vms commit-snapshot', () => {
  it('names the snapshots later than the previewed one', async () => {
    await desk.must('vms', 'preview-snapshot', 'vm-02', '--snapshot', 'first');
    const { stderr } = await desk.run(['vms', 'commit-snapshot', 'vm-02']);
    await desk.must('vms', 'undo-snapshot', 'vm-02', '--yes');
    expect(stderr).toContain('all later snapshots: second, third\n');
  });
});

describe.skipIf(!hasTmux)('at a terminal', () => {
  it('asks, and restores after yes', async () => {
    const home = desk.home();
    const { ready, password } = desk.server();
    mkdirSync(join(home.folder, 'bin'));
    symlinkSync(vmctl, join(home.folder, 'bin/vmctl'));
    const pane = openPane({
      PATH: `${join(home.folder, 'bin')}:${process.env['PATH']}`,
      HOME: home.folder,
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
    });
    try {
      for (const [answer, end, left] of [
        ['n', /nothing changed[\s\S]*exit 12/, descriptions],
        ['y', /exit 0/, ['first']],
      ] as const) {
        pane.type('clear; vmctl snapshots restore first --vm vm-02; echo "exit $?"', 'Enter');
        await pane.until(/all later snapshots: second, third\s+Continue\? \[y\/N\]/);
        pane.type(answer, 'Enter');
        await pane.until(end);
        expect(await listSnapshots()).toEqual(left);
      }
    } finally {
      pane.close();
    }
  });
});
