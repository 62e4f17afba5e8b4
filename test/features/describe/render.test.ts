/** Text of descriptions on terminals of several widths. */
import { expect, it } from 'vitest';
import type { CommandContext } from '../../../src/cli/session/command-context.ts';
import { renderSections } from '../../../src/features/describe/render.ts';

const disks = {
  key: 'disks',
  title: 'Disks',
  content: [
    {
      name: 'web01_Disk1',
      status: 'ok',
      size: 2 ** 30,
      storage_domain: 'data1',
      flags: 'bootable',
    },
  ],
};

/** Renders one section, and returns its lines and the notes. */
async function render(isTTY: boolean, columns: number) {
  const notes: string[] = [];
  const stdout = { isTTY, columns };
  // Only the members that the text depends on.
  const cli = {
    io: { stdout, env: { LC_ALL: 'C.UTF-8' } },
    isOn: () => false,
    setting: (name: string) => (name === 'color' ? { value: 'never' } : undefined),
    noteOnce: (text: string) => notes.push(text),
  } as unknown as CommandContext;
  const text = await renderSections(cli, { name: 'web01' }, [disks]);
  return { lines: text.trimEnd().split('\n'), notes };
}

it('is complete without a terminal', async () => {
  const { lines, notes } = await render(false, 20);
  expect(lines.at(-1)).toBe('  web01_Disk1  ok      1 GiB  data1           bootable');
  expect(notes).toEqual([]);
});

it.each([80, 50, 41, 30, 20])('fits a terminal of %i columns', async (columns) => {
  const { lines } = await render(true, columns);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
});

it('reports omitted columns', async () => {
  const { lines, notes } = await render(true, 50);
  expect(lines.at(-1)).toBe('  web01_Disk1  ok      1 GiB  data1');
  expect(notes).toEqual(['columns not shown: flags; -o wide shows all']);
});
