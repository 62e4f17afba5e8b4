/** Devices that go along when a machine, template or snapshot is made from another one. */
import type { RuleContext } from '../../core/context.ts';
import type { Owner } from '../disk/copies.ts';
import { nextMac } from '../network/mac.ts';
import type { Vm } from './vm.ts';

/** Collections of devices that are copied as they are, beside interfaces. */
const plain = [
  ['watchdog', 'watchdogs'],
  ['graphics_console', 'graphicsconsoles'],
  ['vm_mediated_device', 'mediateddevices'],
  ['virtual_numa_node', 'numanodes'],
] as const;

/**
 * Copies the devices below a path, such as `/templates/123`, to a machine or template. Interfaces of
 * a machine get new addresses; those of a template have none.
 */
export function copyDevices(
  ctx: RuleContext,
  from: string,
  owner: Owner,
  vm: Vm | undefined,
): void {
  const to = `/${owner.kind}s/${owner.id}`;
  const belongs = { [owner.kind]: { id: owner.id } };
  for (const nic of interfacesBelow(ctx, from)) {
    const { id: _id, mac: _mac, vm: _vm, template: _template, ...rest } = nic;
    const address = vm ? { mac: { address: nextMac(ctx, vm, 'add') } } : {};
    ctx.tx.insert('nic', `${to}/nics`, { ...rest, ...address, ...belongs, id: ctx.site.newId() });
  }
  for (const [kind, noun] of plain) {
    for (const device of ctx.tx.list(kind, { where: { collection: `${from}/${noun}` } })) {
      const { vm: _vm, template: _template, ...rest } = device as Record<string, unknown>;
      const id = kind === 'graphics_console' ? rest['id'] : ctx.site.newId();
      ctx.tx.insert(kind, `${to}/${noun}`, { ...rest, ...belongs, id } as never);
    }
  }
}

function interfacesBelow(ctx: RuleContext, from: string) {
  const where = { collection: `${from}/nics` };
  return from.includes('/snapshots/')
    ? ctx.tx.list('snapshot_nic', { where })
    : ctx.tx.list('nic', { where });
}
