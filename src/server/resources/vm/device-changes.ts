/** Changes of single devices of running VMs by a hypervisor, after the commit of a request. */
import type { EventName } from '../../../model/events.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineWork } from '../../core/declared-tasks.ts';
import { describeFailure } from '../../core/failure-cause.ts';
import { type MessageParams, refused } from '../../core/fault.ts';
import { type DeviceChange, HypervisorError } from '../../core/hypervisor.ts';
import type { Site } from '../../core/ports.ts';
import { beginWork } from '../../core/tasks.ts';
import { settleDisk } from '../../inventory/snapshot-contents.ts';
import { describeVmSubjects, isRunning, type Vm } from '../../inventory/vm.ts';
import type { KindName, StoredObject } from '../../store/kinds.ts';

/** Milliseconds for which a response waits for the change. */
const responseLimitMs = 60_000;

/** An event about the VM, to write after the change. */
interface NotedEvent {
  readonly name: EventName;
  readonly words: MessageParams;
}

/** A change, and the objects that the transaction of the request has already changed. */
export interface DeviceRequest {
  readonly change: DeviceChange;
  readonly vm: string;
  readonly kind: KindName;
  readonly collection: string;
  readonly id: string;
  /** The object to store after a failure; removed if undefined. */
  readonly before?: StoredObject | undefined;
  /** Disk that is locked during the change. */
  readonly disk?: string | undefined;
  /** Events after success and after failure. */
  readonly done?: NotedEvent | undefined;
  readonly failed: NotedEvent;
  /** Parameters of the fault: `activate`, `Interface`. */
  readonly action: string;
  readonly type: string;
}

interface NotedRequest extends DeviceRequest {
  /** Id of the change, for the response that waits for it. */
  readonly key: string;
}

/** Name of the work that changes devices. */
const workName = 'change devices';

/** Whether the hypervisor of the site runs a VM. */
export function isReal(ctx: RuleContext, vm: Vm): boolean {
  return ctx.site.hypervisor !== undefined && isRunning(vm);
}

/** Refuses a change of a device while another one is in progress. */
export function requireNoDeviceChange(
  ctx: RuleContext,
  { kind, collection, id }: Pick<DeviceRequest, 'kind' | 'collection' | 'id'>,
  words: { readonly action: string; readonly type: string },
): void {
  if (ctx.tx.tasks.findDue(formatTarget(kind, collection, id)) === undefined) return;
  ctx.refuse('DEVICE_CHANGE_IN_PROGRESS', words);
}

/**
 * Changes a device of a running VM after the commit. The response waits for the result. After a
 * failure it is a fault, the object is as before, and an event contains the reason.
 */
export function beginDeviceChange(ctx: RuleContext, request: DeviceRequest): void {
  requireNoDeviceChange(ctx, request, request);
  const key = ctx.site.newId();
  const { kind, collection, id } = request;
  const noted: NotedRequest = { ...request, key };
  beginWork(ctx, workName, formatTarget(kind, collection, id), noted);
  if (ctx.parameters.flag('async') === true) return;
  const waiting = waitForChange(ctx.site, key);
  ctx.tx.undo.push(() => waiting.cancel());
  ctx.afterCommit.push(() => waiting.ended);
}

export const deviceWork = defineWork<NotedRequest>(workName, {
  async run({ hypervisor }, { vm, change }) {
    if (!hypervisor) throw new HypervisorError('the server started without its hypervisor');
    await hypervisor.changeDevices(vm, change);
  },
  isCheap: () => true,
  done(ctx, noted) {
    if (noted.disk !== undefined) settleDisk(ctx, noted.disk);
    if (noted.done) writeEvent(ctx, noted.vm, noted.done);
    ctx.afterCommit.push(() => endWait(ctx.site, noted.key));
  },
  failed(ctx, noted, error) {
    const { action, type, disk, key, vm: id } = noted;
    const vm = ctx.tx.get('vm', id);
    // A VM that ends has no devices: the change applies at its next start.
    if (vm && (vm.status === 'up' || vm.status === 'paused')) restore(ctx, noted);
    if (disk !== undefined) settleDisk(ctx, disk);
    writeEvent(ctx, id, noted.failed);
    const detail = describeFailure(error) ?? 'an internal error occurred';
    const fault = refused('DEVICE_CHANGE_FAILED', { action, type, detail });
    ctx.afterCommit.push(() => endWait(ctx.site, key, fault));
  },
  subject: (_ctx, { action, kind, id, vm }) => ({
    ...{ task: action, type: kind, name: id },
    objects: [{ kind: 'vm', id: vm }],
  }),
});

/** Restores the object of a failed change. */
function restore(ctx: RuleContext, { kind, collection, id, before }: NotedRequest): void {
  const now: StoredObject | undefined = ctx.tx.get(kind, id, collection);
  if (before && now) ctx.tx.update(kind, before, collection);
  else if (before) ctx.tx.insert(kind, collection, before);
  else if (now) ctx.tx.remove(kind, id, collection);
}

function writeEvent(ctx: RuleContext, id: string, { name, words }: NotedEvent): void {
  ctx.event(name, describeVmSubjects(ctx, ctx.tx.get('vm', id) ?? { id }), words);
}

function formatTarget(kind: KindName, collection: string, id: string): string {
  return `device:${kind}:${collection}/${id}`;
}

/** Ends of the changes that responses wait for, by their keys. */
const waits = new WeakMap<Site, Map<string, (fault?: Error) => void>>();

/** Waits for a change. After the limit, the response does not wait any longer. */
function waitForChange(site: Site, key: string): { ended: Promise<void>; cancel: () => void } {
  const known = waits.get(site) ?? new Map<string, (fault?: Error) => void>();
  waits.set(site, known);
  let cancel = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    const end = (fault?: Error) => {
      clearTimeout(timer);
      known.delete(key);
      if (fault) reject(fault);
      else resolve();
    };
    const timer = setTimeout(end, responseLimitMs);
    timer.unref();
    known.set(key, end);
    cancel = end;
  });
  // The request may end before it waits.
  ended.catch(() => undefined);
  return { ended, cancel };
}

function endWait(site: Site, key: string, fault?: Error): void {
  waits.get(site)?.get(key)?.(fault);
}
