/** Disks that a machine has from its template: `disk: { name: root, template: rhel9 }`. */
import { type Item, isItem } from './document.ts';
import type { Entry } from './entries.ts';
import { wordOf } from './identity.ts';

/** The disks of a machine that the definition says come from its template. */
export function disksOfTemplate({ children }: Entry): readonly Item[] {
  return children.flatMap(({ type, wanted: { disk } }) =>
    type === 'disk_attachment' && isItem(disk) && disk['template'] !== undefined ? [disk] : [],
  );
}

/**
 * What is sent with a new machine so that its disks are called and kept as the definition says:
 * each goes with the disk of the template of its name, the others in their order.
 */
export function disksToMake(wanted: readonly Item[], sources: readonly Item[]): readonly Item[] {
  const named = (disk: Item) => sources.find((one) => wordOf('disk', one) === wordOf('disk', disk));
  const taken = new Set(wanted.map(named));
  const others = sources.filter((one) => !taken.has(one));
  return wanted.flatMap((disk) => {
    const source = named(disk) ?? others.shift();
    if (!source) return [];
    const { name, alias, format, sparse, storage_domains } = disk;
    const said = { name: name ?? alias, format, sparse, storage_domains };
    const present = Object.entries(said).filter(([, value]) => value !== undefined);
    return [{ id: source['id'], ...Object.fromEntries(present) }];
  });
}
