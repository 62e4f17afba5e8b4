/** Measurements of network interfaces and disks. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { digestParts } from '../../core/random.ts';
import { listDiskVms } from '../../inventory/disk.ts';
import { computeUptime } from '../../inventory/vm.ts';
import { computeHostUptime, measureHostNetwork } from './host.ts';
import { measureRealDisk } from './hypervisor-disks.ts';
import { getLastSample, Load, type Measured, roundMeasure } from './load.ts';
import { isWorking, VmLoad } from './vm.ts';

/** Bytes per second of an interface with 1 Gbit/s. */
const linkSpeed = 125_000_000;
/** Bytes per second that a disk reads or writes at full load. */
const diskSpeed = 50 * 2 ** 20;
/** Bytes per disk operation. */
const operationSize = 64 * 2 ** 10;

/**
 * Traffic of an interface. `share` is its current utilization (0 to 1), `seconds` its past traffic
 * as the equivalent duration of full utilization.
 */
function traffic(id: string, share: number, seconds: number): Measured {
  const received = 0.3 + (0.4 * (digestParts(id, 'direction')[0] ?? 0)) / 255;
  const rate = (part: number) => roundMeasure(linkSpeed * share * part);
  return {
    'data.current.rx': () => rate(received),
    'data.current.tx': () => rate(1 - received),
    'data.current.rx.bps': () => 8 * rate(received),
    'data.current.tx.bps': () => 8 * rate(1 - received),
    'data.total.rx': () => linkSpeed * seconds * received,
    'data.total.tx': () => linkSpeed * seconds * (1 - received),
  };
}

/** An unplugged NIC, or one of a stopped VM, has no current traffic. Its counters remain. */
export function measureNic(ctx: RuleContext, nic: Resource<'nic'>): Measured {
  const vm = ctx.tx.get('vm', nic.vm?.id ?? '');
  if (!vm || ctx.site.hypervisor) return {};
  const load = new VmLoad(vm);
  const seconds = getLastSample(computeUptime(ctx, vm));
  const carries = isWorking(vm) && nic.plugged !== false && nic.linked !== false;
  return traffic(nic.id ?? '', carries ? load.network(seconds) : 0, load.networkUntil(seconds));
}

export function measureHostNic(ctx: RuleContext, nic: Resource<'host_nic'>): Measured {
  const host = ctx.tx.get('host', nic.host?.id ?? '');
  if (!host || nic.status === 'down') return {};
  const seconds = getLastSample(computeHostUptime(ctx, host));
  const { share, until } = measureHostNetwork(host, seconds);
  return traffic(nic.id ?? '', host.status === 'up' ? share : 0, until);
}

/** Disk activity of the VM that uses the disk. Logical units have no measurements. */
export function measureDisk(ctx: RuleContext, disk: Resource<'disk'>): Measured {
  const [user] = listDiskVms(ctx, disk).filter(({ attachment }) => attachment.active);
  if (!user || disk.storage_type === 'lun') return {};
  const { vm } = user;
  if (ctx.site.hypervisor) return measureRealDisk(ctx, vm, disk);
  const seconds = getLastSample(computeUptime(ctx, vm));
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

/** Latency in seconds: 0.001 to 0.005, depending on the load. */
function latency(load: Load, seconds: number): number {
  return 0.001 + 0.004 * load.at(seconds);
}
