/** Sparklines of `vmctl top`. */
import { describe, expect, it } from 'vitest';
import { renderSparkline, Trends } from '../../../src/cli/commands/top/trends.ts';

describe('sparklines', () => {
  it.each([
    [[0, 12, 13, 50, 99, 100], true, '▁▁▂▅██'],
    [[0, 50, 100], false, '_=#'],
    [[-1, undefined, 250], true, '▁ █'],
    [[], true, ''],
  ])('renders %j (Unicode: %s)', (values, hasUnicode, expected) => {
    expect(renderSparkline(values, hasUnicode)).toBe(expected);
  });

  it('follow an object by its id, with the newest value last', () => {
    const trends = new Trends({ LANG: 'C.UTF-8' });
    trends.add([{ id: '1', cpu: 0, memory: 100 }]);
    trends.add([{ id: '2', cpu: 50 }]);
    trends.add([{ id: '1', cpu: 100, memory: 0 }]);
    const [row] = trends.fill([{ id: '1', cpu: 100, memory: 0 }], 100);
    expect(row).toMatchObject({ cpu_trend: '▁ █', memory_trend: '█ ▁' });
  });

  it('show only as many polls as fit, and none on a narrow terminal', () => {
    const trends = new Trends({});
    for (let poll = 0; poll < 50; poll += 1) trends.add([{ id: '1', cpu: poll < 49 ? 0 : 100 }]);
    const widths = [80, 100, 300].map((width) => {
      const [row] = trends.fill([{ id: '1' }], width);
      return String(row?.['cpu_trend']);
    });
    expect(widths.map(({ length }) => length)).toEqual([8, 18, 20]);
    for (const text of widths) expect(text).toMatch(/^_+#$/);
    expect(trends.addColumns(['name', 'cpu', 'vms'], 79)).toEqual(['name', 'cpu', 'vms']);
    expect(trends.addColumns(['name', 'cpu', 'vms'], 80)).toEqual([
      ...['name', 'cpu', 'cpu_trend', 'vms'],
    ]);
  });
});
