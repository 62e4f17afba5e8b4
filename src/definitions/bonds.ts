/** Bonds in definitions: interfaces of hosts, which no POST creates; an action of the host does. */
import { type Item, isItem } from './document.ts';

/** The collection in which definitions write bonds. */
export const nicsOfHosts = '/hosts/{host}/nics';

/** The action that creates and changes bonds. */
export const bondAction = { path: '/hosts/{host}', name: 'setup_networks' } as const;

/** Whether an interface of a host is a bond. */
export function isBond({ bonding }: Item): boolean {
  return isItem(bonding) && Array.isArray(bonding['slaves']) && bonding['slaves'].length > 0;
}

/** The body of the action for one bond; the configuration stays when the host reboots. */
export function bondBody(bond: Item): Record<string, unknown> {
  const { name, bonding } = bond;
  return { modified_bonds: [{ name, bonding }], commit_on_success: true };
}
