/** Simulated load: bounds, and consistency of counters and rates. */
import { describe, expect, it } from 'vitest';
import { Load } from '../../../../src/server/resources/statistics/load.ts';

describe('a load', () => {
  const load = new Load('b9f4c7d2', 'network');

  it('stays between its bounds', () => {
    for (let seconds = 0; seconds < 5_000; seconds += 7) {
      expect(load.at(seconds)).toBeGreaterThanOrEqual(0.1);
      expect(load.at(seconds)).toBeLessThanOrEqual(0.9);
    }
  });

  it('matches the derivative of its integral, which never decreases', () => {
    let sum = 0;
    let before = 0;
    for (let second = 0; second < 3_000; second++) {
      sum += load.at(second + 0.5);
      const until = load.until(second + 1);
      expect(until).toBeGreaterThan(before);
      before = until;
      expect(until).toBeCloseTo(sum, 1);
    }
  });

  it('differs between objects and measures, and is reproducible', () => {
    const others = [new Load('b9f4c7d3', 'network'), new Load('b9f4c7d2', 'cpu')];
    for (const other of others) expect(other.at(100)).not.toBe(load.at(100));
    expect(new Load('b9f4c7d2', 'network').at(100)).toBe(load.at(100));
  });
});
