/** Measurements of the disks of VMs that a hypervisor runs. */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import type { DiskMeasures } from '../../core/hypervisor.ts';
import type { Vm } from '../../inventory/vm.ts';
import { type Measured, roundMeasure } from './load.ts';
import { isWorking } from './vm.ts';

/** Digits after the decimal point of a latency in seconds: microseconds. */
const latencyDigits = 6;

/** Activity of a disk of a VM; nothing while the VM is off. */
export function measureRealDisk(ctx: RuleContext, vm: Vm, disk: Resource<'disk'>): Measured {
  const measures = ctx.site.hypervisor?.measure(vm.id ?? '')?.disks?.get(disk.id ?? '');
  if (!measures || !isWorking(vm)) return {};
  return describeMeasures(measures);
}

function describeMeasures(measures: DiskMeasures): Measured {
  const latency = (seconds: number) => () => Number(seconds.toFixed(latencyDigits));
  return {
    'data.current.read': () => roundMeasure(measures.readRate),
    'data.current.write': () => roundMeasure(measures.writeRate),
    'data.current.read_ops': () => measures.reads,
    'data.current.write_ops': () => measures.writes,
    'disk.read.latency': latency(measures.readLatency),
    'disk.write.latency': latency(measures.writeLatency),
    'disk.flush.latency': latency(measures.flushLatency),
  };
}
