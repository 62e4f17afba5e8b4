/**
 * Bonds of hosts in definitions. The API creates them with an action of the host instead of a POST.
 */
import { isRecord } from '../records.ts';
import type { Item } from './document.ts';

/** Collection with the bonds of a definition. */
export const nicsOfHosts = '/hosts/{host}/nics';

/** Action that creates and changes bonds. */
export const bondAction = { path: '/hosts/{host}', name: 'setup_networks' } as const;

/** Whether a NIC of a host is a bond. */
export function isBond({ bonding }: Item): boolean {
  return isRecord(bonding) && Array.isArray(bonding['slaves']) && bonding['slaves'].length > 0;
}

/** Action body for one bond. `commit_on_success` keeps the configuration after a reboot. */
export function bondBody(bond: Item): Record<string, unknown> {
  const { name, bonding } = bond;
  return { modified_bonds: [{ name, bonding }], commit_on_success: true };
}
