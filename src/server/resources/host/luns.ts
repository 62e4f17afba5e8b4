/** What hosts find on the storage network: targets of iSCSI servers, and what is behind them. */
import type { Resource } from '../../../model/resource.ts';
import { digestOf } from '../../core/digest.ts';
import type { StoredObject } from '../../store/document.ts';
import { unitsOf } from '../storage/logical-unit.ts';

/** A target of an iSCSI server. */
export interface Target {
  readonly address: string;
  readonly port: number;
  readonly target: string;
}

export const iscsiPort = 3260;

/** Targets that a simulated iSCSI server offers: two, named after its address. */
export function targetsAt(address: string, port: number = iscsiPort): Target[] {
  const name = address.toLowerCase().replaceAll(':', '-');
  return [1, 2].map((number) => ({
    address,
    port,
    target: `iqn.2026-01.example.vmctl:${name}.target${number}`,
  }));
}

/** Ids of the logical units behind a target, or of those that Fibre Channel reaches. */
export function unitsBehind(target: string): string[] {
  return [0, 1].map((number) =>
    `36${digestOf(target, 'lun', String(number)).toString('hex')}`.slice(0, 33),
  );
}

/** Where Fibre Channel leads. */
export const fabric = 'fibre channel';

/** How a logical unit of a target is reached. */
export function reached({ address, port, target }: Target): StoredObject {
  return { address, port, target, portal: `${address}:${port},1` };
}

/** Whether a storage domain lies behind one of the targets; without targets, on Fibre Channel. */
export function isBehind(
  domain: Resource<'storage_domain'>,
  targets: readonly Target[] | undefined,
): boolean {
  if (!targets) return domain.storage?.type === 'fcp';
  const units = new Set(targets.flatMap(({ target }) => unitsBehind(target)));
  return unitsOf(domain.storage).some(
    ({ id, address, target }) =>
      units.has(id ?? '') ||
      targets.some((one) => one.address === address && (!target || one.target === target)),
  );
}
