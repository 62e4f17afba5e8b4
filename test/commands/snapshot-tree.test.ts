/** `vmctl snapshots list --tree`: snapshots of a VM as a tree. */
import { beforeAll, describe, expect, it } from 'vitest';
import { arrangeSnapshots } from '../../src/cli/verbs/snapshot-tree.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const list = ['snapshots', 'list', '--vm', 'vm-02'];

beforeAll(async () => {
  for (const name of ['first', 'second', 'third']) {
    await desk.must('snapshots', 'create', '--vm', 'vm-02', '--description', name, '-q');
  }
});

describe('snapshots list --tree', () => {
  it('shows each snapshot below the next older one, and marks the current state', async () => {
    const { stdout } = await desk.home().runHere([...list, '--tree'], { LC_ALL: 'C.UTF-8' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}(?=ok|STATUS)/)[0]);
    expect(lines).toEqual([
      'DESCRIPTION',
      'first',
      '└─ second',
      '   └─ third',
      '      └─ Active VM (current state)',
    ]);
  });

  it('uses ASCII without UTF-8', async () => {
    const { stdout } = await desk.home().runHere([...list, '--tree'], { LC_ALL: 'C' });
    expect(stdout).toMatch(/^`- second +ok/m);
    expect(stdout).not.toContain('└');
  });

  it('shows both states during a preview', async () => {
    await desk.must('vms', 'preview-snapshot', 'vm-02', '--snapshot', 'first');
    const { stdout } = await desk.home().runHere([...list, '--tree'], { LC_ALL: 'C' });
    await desk.must('vms', 'undo-snapshot', 'vm-02', '--yes');
    expect(stdout).toMatch(/^first +in_preview/m);
    expect(stdout).toMatch(/^\|- second/m);
    expect(stdout).toMatch(/^`- Active VM \(current state\)/m);
  });

  it.each([
    [['-o', 'json'], '-o json'],
    [['-o', 'csv'], '-o csv'],
    [['--sort', 'date'], '--sort'],
    [['--limit', '1'], '--limit'],
    [['--watch'], '--watch'],
    [['--columns', 'id'], '--columns id'],
  ])('refuses %j', async (words, flag) => {
    const { code, stderr } = await desk.run([...list, '--tree', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain(`--tree is not valid with ${flag}`);
  });

  it('leaves other output unchanged', async () => {
    const [first] = await desk.json('snapshots', 'list', '--vm', 'vm-02');
    expect(first?.['description']).not.toContain('current state');
  });
});

describe('the tree', () => {
  it('has no line for a VM without snapshots but its current state', () => {
    const rows = arrangeSnapshots([{ id: '1', snapshot_type: 'active' }], {});
    expect(rows.map(({ prefix, isCurrent }) => [prefix, isCurrent])).toEqual([['', true]]);
    expect(arrangeSnapshots([], {})).toEqual([]);
  });
});
