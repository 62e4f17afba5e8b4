/** Templates that are made of what the definition says of them, and what machines have from templates. */
import { listAttributes } from '../model/index.ts';
import { type Item, isItem } from './document.ts';
import type { Entry } from './entries.ts';
import { wordOf } from './identity.ts';

/**
 * The disks of a machine that the definition says come from its template:
 * `disk: { name: root, template: rhel9 }`.
 */
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

/** The definition of a template that says what it is made of, not of which machine. */
export function isFromNothing({ service, wanted }: Entry): boolean {
  return service === '/templates' && wanted['vm'] === undefined;
}

/** Path words below a template that it gets from the machine which it is made of. */
export const partsOfTemplates: ReadonlySet<string> = new Set([
  'nics',
  'diskattachments',
  'graphicsconsoles',
  'watchdogs',
  'mediateddevices',
]);

/** Whether an entry is a part of a template that is not made of a machine of the definition. */
export function isPartOfTemplate({ service, parent }: Entry): boolean {
  const word = service.slice(service.lastIndexOf('/') + 1);
  return parent !== undefined && isFromNothing(parent) && partsOfTemplates.has(word);
}

/** Attributes that are of a template, not of the machine that it is made of. */
const ofTemplateAlone: ReadonlySet<string> = new Set([
  'name',
  'description',
  'comment',
  'version',
  'vm',
  'delete_protected',
]);

/** What a machine is made with so that the template of these attributes can be made of it. */
export function sourceOfTemplate(template: Item): Item {
  const attributes = listAttributes('vm');
  return Object.fromEntries(
    Object.entries(template).filter(([name]) => attributes[name] && !ofTemplateAlone.has(name)),
  );
}
