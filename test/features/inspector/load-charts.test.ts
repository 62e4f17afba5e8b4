/** Load charts of the inspector page: measurements, history, lines and text alternative. */
import { describe, expect, it } from 'vitest';
import {
  describeChart,
  formatPeriod,
  layOutLines,
} from '../../../src/features/inspector/browser/chart-geometry.ts';
import { LoadHistory, readHostLoad } from '../../../src/features/inspector/browser/host-load.ts';

const minute = 60_000;
const now = 100 * minute;
const axis = { now, periodMs: 10 * minute, maxGapMs: 15_000 };

/** Sample `seconds` before `now`. */
const sample = (seconds: number, cpu?: number, memory?: number) => ({
  ...{ at: now - 1_000 * seconds, cpu, memory },
});

/** Host with statistics. */
const host = (values: Readonly<Record<string, number>>, id = 'a') => ({
  ...{ id, name: `host-${id}`, status: 'up' },
  statistics: {
    statistic: Object.entries(values).map(([name, datum]) => ({
      ...{ name, values: { value: [{ datum }] } },
    })),
  },
});

describe('lines of a chart', () => {
  it('places the times on 600 units, now at the right, and 100 percent at the top', () => {
    const samples = [sample(600, 0), ...[590, 580].map((at) => sample(at, 25)), sample(570, 100)];
    expect(layOutLines(samples, 'cpu', axis)).toEqual(['0,100 10,75 20,75 30,0']);
    expect(layOutLines([sample(5, 50), sample(0, 12.34)], 'cpu', axis)).toEqual([
      '595,50 600,87.7',
    ]);
  });

  it('ends a line where samples are missing', () => {
    const samples = [sample(60, 10), sample(45, 10), sample(29, 10), sample(20, 10)];
    expect(layOutLines(samples, 'cpu', axis)).toEqual(['540,90 555,90', '571,90 580,90']);
  });

  it('ends a line where values are missing, for each measure separately', () => {
    const samples = [
      ...[sample(30, 1, 50), sample(25, 1, 50), sample(20, undefined, 50)],
      ...[sample(15, undefined, 50), sample(5, 1, 50), sample(0, 1, 50)],
    ];
    expect(layOutLines(samples, 'cpu', axis)).toHaveLength(2);
    expect(layOutLines(samples, 'memory', axis)).toHaveLength(1);
  });

  it('repeats a single point, which is a dot', () => {
    expect(layOutLines([sample(0, 40)], 'cpu', axis)).toEqual(['600,60 600,60']);
  });

  it('omits samples outside the period, and limits values to the scale', () => {
    const samples = [sample(601, 5), sample(5, 130), sample(0, -1), sample(-5, 5)];
    expect(layOutLines(samples, 'cpu', axis)).toEqual(['595,0 600,100']);
  });

  it('are absent without samples', () => {
    expect(layOutLines([], 'memory', axis)).toEqual([]);
  });
});

describe('the text alternative', () => {
  it('contains the covered time and the range of each measure', () => {
    const samples = [sample(90, 12.4, 30), sample(45, 7), sample(0, 20, 31.6)];
    expect(describeChart('host1', samples, now)).toBe(
      'Load of host1, last 90 seconds: CPU 7 to 20 %, memory 30 to 32 %',
    );
  });

  it('reports missing data', () => {
    expect(describeChart('host1', [], now)).toBe('Load of host1: no data');
    expect(describeChart('host1', [sample(300)], now)).toBe(
      'Load of host1, last 5 minutes: CPU no data, memory no data',
    );
  });

  it.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [119_000, '119 seconds'],
    [120_000, '2 minutes'],
    [599_000, '9 minutes'],
  ])('formats %d ms as %s', (milliseconds, text) => {
    expect(formatPeriod(milliseconds)).toBe(text);
  });
});

describe('the load of a host', () => {
  it('is the sum of the CPU times, at most 100, and the used part of the memory', () => {
    const values = { 'cpu.current.user': 20, 'cpu.current.system': 2.5 };
    const memory = { 'memory.total': 400, 'memory.used': 100 };
    expect(readHostLoad(host({ ...values, ...memory }))).toMatchObject({ cpu: 22.5, memory: 25 });
    const busy = host({ ...values, 'cpu.current.user': 99 });
    expect(readHostLoad(busy)).toMatchObject({ cpu: 100, memory: undefined });
  });

  it('is undefined without measurements, and not 0', () => {
    const absent = { cpu: undefined, memory: undefined };
    expect(readHostLoad(host({ 'memory.total': 400 }))).toMatchObject(absent);
    expect(readHostLoad({ id: 'a', status: 'up' })).toMatchObject(absent);
    const zeros = ['cpu.current.user', 'cpu.current.system', 'memory.used'].map((name) => [
      name,
      0,
    ]);
    const down = { ...host({ 'memory.total': 400, ...Object.fromEntries(zeros) }), status: 'down' };
    expect(readHostLoad(down)).toMatchObject(absent);
    const empty = host({ 'memory.total': 0, 'memory.used': 0 });
    expect(readHostLoad(empty)).toMatchObject(absent);
  });
});

describe('the history', () => {
  const hosts = ['a', 'b'].map((id) => readHostLoad(host({}, id)));

  it('contains the samples of the period', () => {
    const history = new LoadHistory(10 * minute);
    expect([history.list('a'), history.since]).toEqual([[], undefined]);
    for (const at of [0, 1, 5, 10, 11]) history.add(at * minute, hosts);
    expect(history.list('a').map(({ at }) => at / minute)).toEqual([1, 5, 10, 11]);
    expect(history.since).toBe(0);
  });

  it('deletes the samples of deleted hosts', () => {
    const history = new LoadHistory(10 * minute);
    history.add(0, hosts);
    history.add(minute, hosts.slice(1));
    expect([history.list('a').length, history.list('b').length]).toEqual([0, 2]);
  });

  it('deletes samples in the future after the clock is set back', () => {
    const history = new LoadHistory(10 * minute);
    for (const at of [60, 5]) history.add(at * minute, hosts);
    expect(history.list('a').map(({ at }) => at / minute)).toEqual([5]);
    expect(history.since).toBe(5 * minute);
  });
});
