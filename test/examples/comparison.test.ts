/** Comparison with other tools: the page, the form of the table, and each cell of vmctl in the built command. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  type Cell,
  comparisonPage,
  findProblem,
  parseComparison,
  parseVersions,
  tools,
} from '../../scripts/comparison-page.js';
import { makeHome } from '../support/command.ts';
import { projectRoot } from '../support/server.ts';

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const groups = parseComparison(read('test/data/comparison.tsv'));
const versions = parseVersions(read('test/data/comparison-tools.tsv'));
const capabilities = groups.flatMap((group) => group.capabilities);
const cells = capabilities.flatMap((capability) => capability.cells);
const ownCells = cells.filter(({ tool }) => tool === 'vmctl');

const home = makeHome();
afterAll(() => home.remove());

/** Runs each command once, in a process. For an unknown topic, vmctl prints a message and exits with 0. */
const texts = new Map<string, Promise<string | undefined>>();
function readHelp(words: readonly string[]): Promise<string | undefined> {
  const key = words.join(' ');
  const text = texts.get(key) ?? printHelp(words);
  texts.set(key, text);
  return text;
}

async function printHelp(words: readonly string[]): Promise<string | undefined> {
  const { code, stdout, stderr } = await home.run(words);
  return code === 0 && !stderr.includes('no help for') ? stdout : undefined;
}

describe('table', () => {
  it('has 73 capabilities with one cell for each tool', () => {
    expect(capabilities).toHaveLength(73);
    expect(new Set(capabilities.map(({ title }) => title)).size).toBe(73);
    for (const { title, cells: own } of capabilities) {
      expect(
        own.map(({ tool }) => tool),
        title,
      ).toEqual(tools);
    }
  });

  it('has evidence for each mark, and the limit of each "partly"', () => {
    for (const { title, tool, mark, kind, evidence, note } of cells) {
      const cell = `${title}, ${tool}`;
      expect(['yes', 'partly', 'no', '-'], cell).toContain(mark);
      const kinds = {
        yes: ['command', 'page'],
        partly: ['command', 'page'],
        no: ['absent', 'page'],
      };
      expect({ ...kinds, '-': ['absent'] }[mark], cell).toContain(kind);
      expect(evidence, cell).not.toBe('');
      expect(note !== '', cell).toBe(mark === 'partly');
      if (kind === 'page') expect(evidence, cell).toMatch(/^(?:https:\/\/|docs\/)\S+$/);
      if (mark === 'no' && kind === 'absent') expect(evidence, cell).toMatch(/^\S.*: \S/);
    }
  });

  it('contains at least eight capabilities that vmctl lacks in whole or in part', () => {
    expect(ownCells.filter(({ mark }) => mark !== 'yes').length).toBeGreaterThanOrEqual(8);
  });

  it('has the versions of all tools, for vmctl that of the package', () => {
    expect(versions.map(({ tool }) => tool)).toEqual(tools);
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: versions[0]?.version });
    for (const { day } of versions) expect(day).toMatch(/^\d{4}-\d\d-\d\d$/);
  });
});

it('docs/comparison.md is the text of `npm run comparison`', () => {
  expect(read('docs/comparison.md')).toBe(comparisonPage(groups, versions));
});

describe('cell of vmctl', () => {
  it.each(ownCells.map((cell) => [cell.title, cell] as const))('%s', async (_title, cell) => {
    expect(await findProblem(cell, readHelp)).toBeUndefined();
  });
});

describe('check of a cell', () => {
  const cell: Cell = {
    title: 'Sort a list',
    tool: 'vmctl',
    mark: 'yes',
    kind: 'command',
    evidence: 'vms list --sort',
    note: '',
  };
  const problem = (changes: Partial<Cell>) => findProblem({ ...cell, ...changes }, readHelp);

  it('finds an unknown command, flag and topic', async () => {
    expect(await problem({ evidence: 'vms list --sorted' })).toBe('the help lacks --sorted');
    expect(await problem({ evidence: 'vms list --output yml' })).toBe('the help lacks yml');
    expect(await problem({ evidence: 'vms sorted' })).toBe('no such command');
    expect(await problem({ evidence: 'help sorting' })).toBe('no such command');
  });

  it('finds help of another command', async () => {
    const parent = async () => 'Usage: vmctl vms <verb>';
    expect(await findProblem({ ...cell, evidence: 'vms sorted' }, parent)).toBe(
      'the help does not name the command',
    );
  });

  it('finds a capability that is marked as absent but documented in the help', async () => {
    const absent = { mark: 'no', kind: 'absent' };
    expect(await problem({ ...absent, evidence: 'vms list: --follow, tree' })).toBe(
      'help of vms list contains --follow',
    );
    expect(await problem({ ...absent, evidence: 'vms sorted: tree' })).toBe(
      'no such command: vms sorted',
    );
  });
});
