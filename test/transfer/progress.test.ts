/** Progress events. */
import { expect, it } from 'vitest';
import { ProgressReporter, type TransferEvent } from '../../src/transfer/progress.ts';

it('reports all counts after every step', () => {
  const told: TransferEvent[] = [];
  const progress = new ProgressReporter((event) => told.push(event));
  progress.enterPhase('preparing');
  progress.enterPhase('copying', 100);
  progress.addResumed(20);
  progress.addTransferred(30);
  progress.addTransferred(-10);
  progress.addSkipped(5);
  progress.enterPhase('done');
  const none = { transferred: 0, resumed: 0, skipped: 0, total: 0 };
  const copying = { ...none, phase: 'copying', total: 100 };
  expect(told).toEqual([
    { ...none, phase: 'preparing' },
    copying,
    { ...copying, transferred: 20, resumed: 20 },
    { ...copying, transferred: 50, resumed: 20 },
    { ...copying, transferred: 40, resumed: 20 },
    { ...copying, transferred: 40, resumed: 20, skipped: 5 },
    { ...copying, transferred: 40, resumed: 20, skipped: 5, phase: 'done' },
  ]);
  expect(progress).toMatchObject({ transferred: 40, skipped: 5 });
});

it('counts without a listener', () => {
  const progress = new ProgressReporter(undefined);
  progress.addTransferred(3);
  progress.addSkipped(4);
  expect(progress).toMatchObject({ transferred: 3, skipped: 4 });
});
