/** Tables: truncated texts, omitted columns and layout. */
import { describe, expect, it } from 'vitest';
import {
  type Cut,
  drawTable,
  fitTable,
  renderAligned,
  renderBlocks,
  type TableText,
} from '../../../src/cli/output/table.ts';
import { getDisplayWidth } from '../../../src/cli/text/display-width.ts';

const uuid = '4f5a1a8e-30ab-4c57-9d3c-7f5a6a1c2b90';

function table(columns: Readonly<Record<string, readonly [Cut, ...string[]]>>): TableText {
  const cells = Object.values(columns).map(([, ...texts]) => texts);
  return {
    titles: Object.keys(columns),
    rows: (cells[0] ?? []).map((_, row) => cells.map((texts) => texts[row] ?? '')),
    headers: true,
    cuts: Object.values(columns).map(([cut]) => cut),
  };
}

const lines = (text: TableText, width: number, mark = '…') => {
  const fit = fitTable(text, width, mark);
  return fit && [...renderAligned(fit.table)];
};

describe('a table', () => {
  const names = table({
    name: ['middle', 'a-rather-long-name-of-a-machine-01', 'b'],
    status: ['never', 'up', 'preparing_for_maintenance'],
    description: ['end', 'What it is for, in more words than there is room for', ''],
    id: ['never', uuid, uuid],
  });

  it('remains unchanged if it fits', () => {
    expect(fitTable(names, 200, '…')).toMatchObject({ dropped: [], table: names });
    expect(lines(names, 200)?.[1]).toContain(`room for  ${uuid}`);
  });

  it('cuts names in the middle, sentences at the end, states never; names do instead of ids', () => {
    const fit = fitTable(names, 80, '…');
    expect(fit?.dropped).toEqual(['id']);
    expect(lines(names, 80)?.[0]).toMatch(/^NAME +STATUS +DESCRIPTION$/);
    for (const line of lines(names, 80) ?? [])
      expect(getDisplayWidth(line)).toBeLessThanOrEqual(80);
    expect(lines(names, 80)?.[1]).toMatch(/^a-rather\S*…\S*01 {2}up {25}What it is for.*…$/);
  });

  it('uses three dots without UTF-8', () => {
    expect(lines(names, 80, '...')?.[1]).toMatch(/^a-rather\S*\.\.\.\S*01 .*\.\.\.$/);
    for (const line of lines(names, 80, '...') ?? []) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('never truncates an id, in any column', () => {
    const hosts = table({ name: ['middle', 'x'.repeat(60)], host: ['middle', uuid] });
    expect(lines(hosts, 60)?.[1]).toContain(uuid);
    expect(lines(hosts, 50)).toBeUndefined();
  });

  it('becomes blocks if the first two columns do not fit, or if the terminal is narrow', () => {
    expect(lines(names, 41)).toBeUndefined();
    expect(lines(names, 40)).toBeUndefined();
    const small = table({ name: ['middle', 'a'], status: ['never', 'up'] });
    expect(lines(small, 20)).toEqual(['NAME  STATUS', 'a     up']);
  });

  it('leaves out what says nothing before anything is cut for it', () => {
    const empty = table({
      name: ['middle', 'n'.repeat(30)],
      nothing_at_all: ['middle', ''],
      note: ['end', 'm'.repeat(36)],
    });
    expect(fitTable(empty, 70, '…')?.dropped).toEqual(['nothing_at_all']);
    expect(fitTable(empty, 86, '…')?.dropped).toEqual([]);
  });

  it('keeps columns that the user selected', () => {
    expect(fitTable(names, 110, '…')?.dropped).toEqual(['id']);
    expect(fitTable({ ...names, isChosen: true }, 110, '…')?.dropped).toEqual([]);
  });

  it('costs two characters a column, and is drawn by the library as without it', async () => {
    const odd = table({
      name: ['middle', '長い名前', 'e\u0301', '👩‍👩‍👧', 'plain', ''],
      b: ['middle', 'x', '', 'плитка', '1', 'y'],
      c: ['never', '1', '2', '3', '4', ''],
    });
    const own = [...renderAligned(odd)];
    expect((await drawTable(odd)).split('\n')).toEqual(own);
    expect(own[0]).toBe('NAME      B       C');
    expect((await drawTable({ ...odd, headers: false })).split('\n')).toEqual(own.slice(1));
  });

  it('is coloured without losing its columns', async () => {
    const small = table({ name: ['middle', 'a', 'long'], status: ['never', 'up', 'down'] });
    const paint = (cell: string) => `\u001b[32m${cell}\u001b[39m`;
    const own = [...renderAligned(small, paint)];
    // biome-ignore lint/suspicious/noControlCharactersInRegex: removes escape sequences
    const plain = own.map((line) => line.replaceAll(/\u001b\[\d+m/g, ''));
    expect(plain).toEqual([...renderAligned(small)]);
    expect((await drawTable(small, paint)).split('\n').length).toBe(own.length);
  });
});

describe('blocks', () => {
  it('have a line for each value, wrapped between words', () => {
    const block = {
      titles: ['name', 'description', 'vnic_profile'],
      rows: [
        ['web01', 'seven words that need more than one', uuid],
        ['web02', '', ''],
      ],
    };
    expect([...renderBlocks(block, 30)]).toEqual([
      'name: web01',
      'description: seven words that',
      '  need more than one',
      'vnic_profile:',
      `  ${uuid}`,
      '',
      'name: web02',
      'description: -',
      'vnic_profile: -',
    ]);
  });
});
