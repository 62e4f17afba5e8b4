/**
 * Recordings of the writes of a guest in dirty bitmaps of QEMU, one for each period of a disk. They
 * exist as long as the process.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { readDirtyRanges } from '../../images/index.ts';
import { isRecord, toRecord } from '../../records.ts';
import type { RunningCopy, WriteRecording } from '../../server/core/hypervisor.ts';
import type { ChangeParts } from './change-parts.ts';
import {
  isPeriodBitmap,
  nameDiskNode,
  namePeriodBitmap,
  type Properties,
} from './device-properties.ts';
import type { RunningVm } from './running-vm.ts';

/** Bytes of a block in a bitmap, as in the dirty bitmaps of the server. */
const granularity = 64 << 10;
/** Socket in the working folder of a process that exports bitmaps. */
const exportSocket = 'nbd';
const exportId = 'bitmap';

/** The commands of a running VM. */
type Commands = Pick<RunningVm, 'execute'>;

/** Actions of a transaction, before and after the actions that begin the copies. */
export interface RecordingActions {
  readonly before: readonly Properties[];
  readonly after: readonly Properties[];
}

/**
 * Prepares the recordings of disks that are copied in one transaction. A new period begins before
 * the point in time of the copies, and its predecessors end after it, so that no write is missing.
 */
export async function planRecordings(
  vm: Commands,
  copies: readonly RunningCopy[],
): Promise<RecordingActions> {
  const recorded = listRecorded(copies);
  if (recorded.length === 0) return { before: [], after: [] };
  // An interrupted read may have left them.
  await endExports(vm);
  const existing = await listBitmaps(vm);
  const before: Properties[] = [];
  const after: Properties[] = [];
  for (const { node, recording } of recorded) {
    const names = existing.get(node) ?? [];
    const first = namePeriodBitmap(recording.begins);
    const ended = recording.ends.map(({ id }) => namePeriodBitmap(id));
    const present = ended.filter((name) => names.includes(name));
    for (const name of names.filter((one) => one !== first && !ended.includes(one))) {
      await vm.execute('block-dirty-bitmap-remove', { node, name });
    }
    if (!names.includes(first)) before.push(add(node, first));
    // An interrupted attempt began the period at an earlier point in time.
    else after.push(...present.map((target) => merge(node, target, first)));
    after.push(...present.map((name) => disable(node, name)));
  }
  return { before, after };
}

function add(node: string, name: string): Properties {
  return { type: 'block-dirty-bitmap-add', data: { node, name, granularity } };
}

function merge(node: string, target: string, from: string): Properties {
  return { type: 'block-dirty-bitmap-merge', data: { node, target, bitmaps: [from] } };
}

function disable(node: string, name: string): Properties {
  return { type: 'block-dirty-bitmap-disable', data: { node, name } };
}

/**
 * Passes the writes of ended periods to the server. They are unknown if the bitmap is missing, for
 * example in another process after a migration, or cannot be read.
 */
export async function storeRecordings(
  { images }: Pick<ChangeParts, 'images'>,
  vm: RunningVm,
  copies: readonly RunningCopy[],
): Promise<void> {
  const recorded = listRecorded(copies).filter(({ recording }) => recording.ends.length > 0);
  if (recorded.length === 0) return;
  const existing = await listBitmaps(vm);
  for (const { node, recording } of recorded) {
    for (const period of recording.ends) {
      const name = namePeriodBitmap(period.id);
      const isPresent = existing.get(node)?.includes(name) === true;
      const read = isPresent ? readBitmap(vm, node, name) : undefined;
      await images.recordWrites(period, await read?.catch(() => undefined));
    }
  }
}

/** Reads the dirty ranges of a bitmap that is no longer active. */
async function readBitmap(vm: RunningVm, node: string, name: string) {
  const path = join(vm.process.folder, exportSocket);
  rmSync(path, { force: true });
  // A relative path is short enough for a socket.
  const addr = { type: 'unix', data: { path: exportSocket } };
  await vm.execute('nbd-server-start', { addr });
  try {
    await vm.execute('block-export-add', {
      ...{ type: 'nbd', id: exportId, 'node-name': node, name },
      ...{ writable: false, bitmaps: [name] },
    });
    return await readDirtyRanges({ path }, name, name);
  } finally {
    await endExports(vm);
    rmSync(path, { force: true });
  }
}

async function endExports(vm: Commands): Promise<void> {
  await vm.execute('nbd-server-stop').catch(() => undefined);
}

function listRecorded(
  copies: readonly RunningCopy[],
): { readonly node: string; readonly recording: WriteRecording }[] {
  return copies.flatMap(({ disk, recording }) =>
    recording ? [{ node: nameDiskNode(disk.id), recording }] : [],
  );
}

/** Names of the bitmaps of periods, by node. */
async function listBitmaps(vm: Commands): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await vm.execute('query-named-block-nodes', { flat: true });
  const nodes = Array.isArray(found) ? found.filter(isRecord) : [];
  return new Map(
    nodes.map((node) => {
      const { 'node-name': name, 'dirty-bitmaps': bitmaps } = node;
      const list = Array.isArray(bitmaps) ? bitmaps : [];
      const names = list.map((one) => String(toRecord(one)['name']));
      return [String(name), names.filter(isPeriodBitmap)];
    }),
  );
}
