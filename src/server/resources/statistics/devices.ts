/** Measured values of network interfaces and disks. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestOf } from '../../core/random.ts';
import { vmsOf } from '../../inventory/disk.ts';
import { uptimeOf } from '../../inventory/vm.ts';
import { hostNetwork, hostUptime } from './host.ts';
import { Load, lastLook, type Measured, rounded } from './load.ts';
import { isWorking, VmLoad } from './vm.ts';

/** Bytes that an interface of 1 Gbit/s carries in a second. */
const linkSpeed = 125_000_000;
/** Bytes that a disk reads or writes in a second at full load. */
const diskSpeed = 50 * 2 ** 20;
/** Bytes of one operation of a disk. */
const operationSize = 64 * 2 ** 10;

/**
 * What goes through an interface. `share` is how much of it is used now, `seconds` how many seconds
 * of full use came to what went through it so far.
 */
function traffic(id: string, share: number, seconds: number): Measured {
  const received = 0.3 + (0.4 * (digestOf(id, 'direction')[0] ?? 0)) / 255;
  const rate = (part: number) => rounded(linkSpeed * share * part);
  return {
    'data.current.rx': () => rate(received),
    'data.current.tx': () => rate(1 - received),
    'data.current.rx.bps': () => 8 * rate(received),
    'data.current.tx.bps': () => 8 * rate(1 - received),
    'data.total.rx': () => linkSpeed * seconds * received,
    'data.total.tx': () => linkSpeed * seconds * (1 - received),
  };
}

/** An interface that is unplugged, or whose machine is off, carries nothing; its counters stay. */
export function nicMeasures(ctx: RuleContext, nic: Resource<'nic'>): Measured {
  const vm = ctx.tx.get('vm', nic.vm?.id ?? '');
  if (!vm) return {};
  const load = new VmLoad(vm);
  const seconds = lastLook(uptimeOf(ctx, vm));
  const carries = isWorking(vm) && nic.plugged !== false && nic.linked !== false;
  return traffic(nic.id ?? '', carries ? load.network(seconds) : 0, load.networkUntil(seconds));
}

export function hostNicMeasures(ctx: RuleContext, nic: Resource<'host_nic'>): Measured {
  const host = ctx.tx.get('host', nic.host?.id ?? '');
  if (!host || nic.status === 'down') return {};
  const seconds = lastLook(hostUptime(ctx, host));
  const { share, until } = hostNetwork(host, seconds);
  return traffic(nic.id ?? '', host.status === 'up' ? share : 0, until);
}

/** Of the machine that uses it. Of logical units nothing is measured. */
export function diskMeasures(ctx: RuleContext, disk: Resource<'disk'>): Measured {
  const [user] = vmsOf(ctx, disk).filter(({ attachment }) => attachment.active);
  if (!user || disk.storage_type === 'lun') return {};
  const { vm } = user;
  const seconds = lastLook(uptimeOf(ctx, vm));
  const working = isWorking(vm);
  const id = disk.id ?? '';
  const of = (what: 'read' | 'write'): Measured => {
    const load = new Load(id, what);
    const operations = () => Math.floor((diskSpeed / operationSize) * load.until(seconds));
    const idle = { [`data.current.${what}_ops`]: operations };
    if (!working) return idle;
    return {
      ...idle,
      [`data.current.${what}`]: () => Math.floor(diskSpeed * load.at(seconds)),
      [`disk.${what}.latency`]: () => latency(load, seconds),
    };
  };
  const flush = new Load(id, 'flush');
  return {
    ...of('read'),
    ...of('write'),
    ...(working ? { 'disk.flush.latency': () => latency(flush, seconds) } : {}),
  };
}

/** Seconds: from one millisecond to five, as it is loaded. */
function latency(load: Load, seconds: number): number {
  return 0.001 + 0.004 * load.at(seconds);
}
