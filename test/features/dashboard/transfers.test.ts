/** Progress line of transfers. */
import { describe, expect, it } from 'vitest';
import { formatProgress } from '../../../src/features/dashboard/transfers.ts';

const transfer = {
  name: 'root',
  isUpload: true,
  transferred: 512 * 2 ** 20,
  total: 2 ** 30,
  phase: 'transferring',
};

describe('progress of a transfer', () => {
  it.each([
    ['half of it', transfer, '↑ root █████░░░░░ 50 % of 1 GiB'],
    [
      'more than its size is all of it',
      { ...transfer, transferred: 2 ** 31 },
      '↑ root ██████████ 100 % of 1 GiB',
    ],
    ['of unknown size', { ...transfer, total: undefined }, '↑ root 512 MiB'],
    [
      'one that rests says so',
      { ...transfer, isUpload: false, transferred: 0, phase: 'paused_user' },
      '↓ root ░░░░░░░░░░ 0 % of 1 GiB paused_user',
    ],
  ])('%s', (_, one, expected) => {
    expect(formatProgress(one, true)).toBe(expected);
  });

  it('uses only ASCII if required', () => {
    expect(formatProgress(transfer, false)).toBe('up root #####..... 50 % of 1 GiB');
  });
});
