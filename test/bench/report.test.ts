/** Table of performance: targets, changes since a recorded run, and removed variables. */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { parseArguments } from '../../bench/report/arguments.ts';
import { withoutFlattery } from '../../bench/report/environment.ts';
import {
  compareRuns,
  lastLike,
  type Run,
  recordedRuns,
  recordRun,
} from '../../bench/report/history.ts';
import { parseLoad, shareOfOthers } from '../../bench/report/machine.ts';
import {
  computeSpread,
  createRow,
  isFailed,
  isHeld,
  median,
  missingRow,
  parseRows,
  type Row,
} from '../../bench/report/row.ts';
import { changesText, originText, tableText } from '../../bench/report/table.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function historyFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-bench-test-'));
  folders.push(folder);
  return join(folder, 'history.jsonl');
}

function row(ratio: number, more: Partial<Row> = {}): Row {
  return {
    ...{ name: 'GET', beside: 'bare', unit: 's', ours: ratio, peer: 1, ratio, spread: null },
    ...{ reach: 2, direction: 'at least', ...more },
  };
}

function createRun(rows: readonly Row[], more: Partial<Run> = {}): Run {
  return {
    ...{ date: '2026-01-02T03:04:05.000Z', commit: 'abc1234', node: 'v20.19.0', cores: 2 },
    ...{ quick: false, tables: [{ table: 'server', rows, others: 0.01 }], ...more },
  };
}

const figure = fc.double({ min: 1e-3, max: 1e3, noNaN: true });

describe('rows', () => {
  it('compare medians, with the spread of the rounds', () => {
    const measured = { name: 'x', beside: 'y', unit: 's', reach: 1, direction: 'at most' as const };
    const made = createRow({ ...measured, ours: [2, 100, 4], peer: [1, 2, 50] });
    expect(made).toMatchObject({ ours: 4, peer: 2, ratio: 2, spread: null });
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(computeSpread([1, 2, 3, 4, 5])).toBeCloseTo(2 / 3);
    // A disturbance of both sides of a round adds no spread.
    expect(createRow({ ...measured, ours: [2, 4, 6, 8, 40], peer: [1, 2, 3, 4, 20] }).spread).toBe(
      0,
    );
  });

  it('report a peer that is too fast to measure', () => {
    const made = createRow({
      ...{ name: 'x', beside: 'y', unit: 's', reach: 1, direction: 'at most', ours: [1] },
      peer: [0],
    });
    expect(made).toMatchObject({ ratio: null, missing: 'too short to be measured' });
    expect(isHeld(made)).toBeUndefined();
    expect(isFailed(made)).toBe(false);
  });

  it.each([
    ['at least', 2, true, false],
    ['at least', 1.9, false, false],
    ['at least', 1.7, false, true],
    ['at most', 2, true, false],
    ['at most', 2.1, false, false],
    ['at most', 2.4, false, true],
  ] as const)('%s 2 with %d: held %s, failed %s', (direction, ratio, held, failed) => {
    expect([isHeld(row(ratio, { direction })), isFailed(row(ratio, { direction }))]).toEqual([
      held,
      failed,
    ]);
    const alone = row(ratio, { direction, beside: '', peer: null, ratio: null, ours: ratio });
    expect(isHeld(alone)).toBe(held);
  });

  it('never fail if they reach their target', () => {
    fc.assert(
      fc.property(
        figure,
        figure,
        fc.constantFrom('at least' as const, 'at most' as const),
        (ratio, reach, direction) => {
          const one = row(ratio, { reach, direction });
          expect(isHeld(one) && isFailed(one)).toBe(false);
        },
      ),
    );
  });

  it('are refused if a program prints invalid output', () => {
    expect(parseRows(JSON.stringify([row(1)]))).toEqual([row(1)]);
    for (const text of [
      '',
      '{}',
      '[1]',
      '[{"name":"x"}]',
      JSON.stringify([{ ...row(1), reach: '2' }]),
    ]) {
      expect(() => parseRows(text)).toThrow();
    }
  });
});

describe('the table', () => {
  it('shows ours, the peer, the ratio, the target and the result in every line', () => {
    const missing = missingRow(row(1, { name: 'upload', beside: 'reference' }), 'not installed');
    const rows = [
      ...[row(2.5), row(1.9, { name: 'near' }), row(1, { name: 'far' })],
      ...[missing, row(3, { name: 'rate', reach: null })],
      row(0, { name: 'memory', beside: '', ours: 123.4, peer: null, ratio: null, unit: 'MiB' }),
    ];
    const lines = tableText(createRun(rows)).split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).join('|'))).toEqual([
      'TABLE|WORK|OURS|BESIDE|PEER|RATIO|SPREAD|REACH|RESULT',
      'server|GET|2.50 s|bare|1.00 s|2.50 x|-|>= 2|held',
      'server|near|1.90 s|bare|1.00 s|1.90 x|-|>= 2|missed, within noise',
      'server|far|1.00 s|bare|1.00 s|1.00 x|-|>= 2|missed',
      'server|upload|-|reference|-|-|-|>= 2|not installed',
      'server|rate|3.00 s|bare|1.00 s|3.00 x|-|-|shown only',
      'server|memory|123 MiB|-|-|-|>= 2 MiB|held',
      '',
    ]);
    expect(tableText(createRun(rows, { quick: true }))).not.toMatch(/held|missed/);
  });

  it('lists removed variables, and the load of the computer', () => {
    const quiet = originText(createRun([]), ['NODE_OPTIONS']);
    expect(quiet).toContain('removed from the environment: NODE_OPTIONS\n');
    expect(quiet).toContain('CPU time of other programs: server 1 %\n');
    const tables = [{ table: 'server', rows: [], others: 0.4 }];
    expect(originText(createRun([], { tables }), [])).toContain('server 40 %; measure again');
    const unknown = [{ table: 'server', rows: [], others: null }];
    expect(originText(createRun([], { tables: unknown, commit: null }), [])).toContain(
      'CPU time of other programs is unknown',
    );
  });
});

describe('the history', () => {
  it('restores recorded runs, one in each line', () => {
    const file = historyFile();
    expect(recordedRuns(file)).toEqual([]);
    const runs = [createRun([row(1)]), createRun([row(2)], { quick: true, commit: null })];
    for (const run of runs) recordRun(file, run);
    appendFileSync(file, '\n');
    expect(recordedRuns(file)).toEqual(runs);
  });

  it.each(['no JSON', '{}', '{"date":"x","node":"y","cores":2,"quick":false,"tables":[null]}'])(
    'reports the line of an invalid run: %s',
    (line) => {
      const file = historyFile();
      recordRun(file, createRun([row(1)]));
      appendFileSync(file, `${line}\n`);
      expect(() => recordedRuns(file)).toThrow(/history\.jsonl:2: no recorded run/);
    },
  );

  it('compares with the last run of the same size that has one of the tables', () => {
    const other = [{ table: 'list', rows: [], others: null }];
    const runs = [
      createRun([], { date: 'first' }),
      createRun([], { date: 'small', quick: true }),
      createRun([], { date: 'other', tables: other }),
    ];
    expect(lastLike(runs, false, ['server'])?.date).toBe('first');
    expect(lastLike(runs, false, ['server', 'list'])?.date).toBe('other');
    expect(lastLike(runs, true, ['server'])?.date).toBe('small');
    expect(lastLike(runs, true, ['list'])).toBeUndefined();
  });

  it.each([
    ['at least', 1, 2, 'better'],
    ['at least', 2, 1, 'worse'],
    ['at most', 1, 2, 'worse'],
    ['at most', 2, 1, 'better'],
    ['at most', 1, 1.04, 'same'],
    ['at most', 0, 0, 'same'],
    ['at most', -1, 2, 'worse'],
  ] as const)('%s: from %d to %d is %s', (direction, before, now, judgement) => {
    const [change] = compareRuns(
      createRun([row(before, { direction })]),
      createRun([row(now, { direction })]),
    );
    expect(change).toMatchObject({ before, now, judgement });
  });

  it('ignores differences within the spread of either run', () => {
    const [change] = compareRuns(createRun([row(1, { spread: 0.5 })]), createRun([row(1.4)]));
    expect(change?.judgement).toBe('same');
  });

  it('distinguishes rows of the same name by their peer, and shows new and removed ones', () => {
    const before = createRun([row(1), row(5, { beside: 'curl' }), row(3, { name: 'old' })]);
    const missing = missingRow(row(1, { name: 'never' }), 'not installed');
    const now = createRun([row(2, { beside: 'curl' }), row(1), row(4, { name: 'new' }), missing]);
    const changes = compareRuns(before, now);
    expect(changes.map(({ name, beside, judgement }) => `${name} ${beside} ${judgement}`)).toEqual([
      ...['GET curl worse', 'GET bare same', 'new bare new', 'never bare new', 'old bare gone'],
    ]);
    const text = changesText(before, changes);
    expect(text).toContain('beside the run of 2026-01-02T03:04:05.000Z, commit abc1234');
    expect(text).toMatch(/GET +curl +5\.00 +2\.00 +0\.40\d? x +worse/);
  });

  it('finds no change between a run and itself', () => {
    fc.assert(
      fc.property(fc.array(figure, { maxLength: 5 }), (figures) => {
        const run = createRun(figures.map((one, index) => row(one, { name: `row ${index}` })));
        expect(compareRuns(run, run).every(({ judgement }) => judgement === 'same')).toBe(true);
      }),
    );
  });
});

describe('the environment', () => {
  it('lacks only variables that favor one side', () => {
    const { env, removed } = withoutFlattery({
      ...{ NODE_EXTRA_CA_CERTS: '/ca.pem', NODE_OPTIONS: '-r x', NODE_COMPILE_CACHE: '/cache' },
      ...{ https_proxy: 'http://proxy', VMCTL_CONTEXT: 'mine', PATH: '/bin', HOME: '/root' },
    });
    expect(env).toEqual({ PATH: '/bin', HOME: '/root' });
    expect(removed).toEqual([
      ...['NODE_COMPILE_CACHE', 'NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS', 'VMCTL_CONTEXT'],
      'https_proxy',
    ]);
  });
});

describe('the load of other processes', () => {
  const stat = (...times: readonly number[]) => `cpu  ${times.join(' ')} 7 7\ncpu0 1 2 3\n`;
  // The name of a process can contain any text.
  const own = (...times: readonly number[]) =>
    `12 (a) b (c) S 1 1 1 0 -1 0 0 0 0 0 ${times.join(' ')} 20 0 1 0\n`;

  it('is the busy time without this process and its awaited children', () => {
    const before = parseLoad(stat(100, 0, 50, 800, 40, 0, 10, 0), own(1, 1, 1, 1));
    expect(before).toEqual({ all: 1_000, busy: 160, own: 4 });
    const after = parseLoad(stat(150, 0, 70, 900, 40, 0, 10, 30), own(11, 11, 21, 11));
    expect(shareOfOthers(before, after)).toBeCloseTo((100 - 50) / 200);
    expect(shareOfOthers(before, before)).toBeNull();
    expect(shareOfOthers(undefined, after)).toBeNull();
  });
});

describe('the arguments', () => {
  const known = ['list', 'server'];

  it('select tables in their order, and pass other arguments to programs', () => {
    expect(
      parseArguments(['server', '--quick', '--only', 'API,huge', 'list'], known),
    ).toMatchObject({
      ...{ tables: ['list', 'server'], quick: true, record: false },
      passed: ['--quick', '--only=API,huge'],
    });
    expect(parseArguments(['--json', '--record', '--compare'], known)).toMatchObject({
      ...{ tables: known, json: true, record: true, compare: true, passed: [] },
    });
  });

  it.each([
    [['nope'], /no such table: nope\. Tables: list, server/],
    [['--rounds', '0'], /--rounds 0: a number/],
    [['--rounds', 'x'], /--rounds x: a number/],
    [['--size', '4GB'], /--size 4GB: a size such as/],
    [['--nope'], /nope/],
  ])('refuse %j', (words, message) => {
    expect(() => parseArguments(words, known)).toThrow(message);
  });
});

it('reports the line of a truncated history', () => {
  const file = historyFile();
  writeFileSync(file, JSON.stringify(createRun([row(1)])).slice(0, -5));
  expect(() => recordedRuns(file)).toThrow(/history\.jsonl:1/);
});
