/** Dirty bitmaps of QEMU for the periods of a disk. */
import { expect, it } from 'vitest';
import { nameDiskNode, namePeriodBitmap } from '../../../src/features/qemu/device-properties.ts';
import { planRecordings } from '../../../src/features/qemu/write-recordings.ts';
import type { RunningCopy } from '../../../src/server/core/hypervisor.ts';

const id = (digit: number) => `00000000-0000-0000-0000-${String(digit).padStart(12, '0')}`;
const [disk, image, first, second, third] = [id(1), id(2), id(3), id(4), id(5)];
const node = nameDiskNode(disk);

const copy: RunningCopy = {
  disk: {
    ...{ id: disk, size: 2 ** 20, format: 'cow', qcowVersion: 3, interface: 'virtio' },
    ...{ readOnly: false, shareable: false },
  },
  to: image,
  recording: { begins: third, ends: [first, second].map((one) => ({ id: one, size: 2 ** 20 })) },
};

/** Plans the recordings of a VM with bitmaps. Resolves with the actions and other commands. */
async function plan(bitmaps: readonly string[], copies: readonly RunningCopy[] = [copy]) {
  const commands: object[] = [];
  const execute = async (command: string, parameters: object = {}) => {
    if (command !== 'query-named-block-nodes') commands.push({ command, ...parameters });
    return [{ 'node-name': node, 'dirty-bitmaps': bitmaps.map((name) => ({ name })) }];
  };
  return { ...(await planRecordings({ execute }, copies)), commands };
}

const ending = (period: string) => ({
  type: 'block-dirty-bitmap-disable',
  data: { node, name: namePeriodBitmap(period) },
});

it('begin before the copies, and end after them, so that no write is missing', async () => {
  const { before, after } = await plan([first, second].map(namePeriodBitmap));
  expect(before).toEqual([
    {
      type: 'block-dirty-bitmap-add',
      data: { node, name: namePeriodBitmap(third), granularity: 65_536 },
    },
  ]);
  expect(after).toEqual([ending(first), ending(second)]);
});

it('include the writes since an interrupted attempt, which began the same period', async () => {
  const { before, after } = await plan([second, third].map(namePeriodBitmap));
  expect(before).toEqual([]);
  const [target, from] = [namePeriodBitmap(second), namePeriodBitmap(third)];
  expect(after).toEqual([
    { type: 'block-dirty-bitmap-merge', data: { node, target, bitmaps: [from] } },
    ending(second),
  ]);
});

it('replace bitmaps of former periods, and no others', async () => {
  const { commands } = await plan([namePeriodBitmap(id(9)), namePeriodBitmap(first), 'other']);
  expect(commands).toEqual([
    { command: 'nbd-server-stop' },
    { command: 'block-dirty-bitmap-remove', node, name: namePeriodBitmap(id(9)) },
  ]);
});

it('do not exist for copies without them', async () => {
  const { recording: _none, ...plain } = copy;
  expect(await plan([], [plain])).toEqual({ before: [], after: [], commands: [] });
});
