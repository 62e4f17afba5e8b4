/** ISO and floppy images on ISO domains: those that come with every domain, those put in a folder. */
import { notFound } from '../../fault.ts';
import type { RuleContext } from '../context.ts';
import { rules } from '../notation.ts';
import type { Place } from '../places.ts';

/** What an ISO domain holds from the beginning. */
const supplied = [
  'debian-12.7.0-amd64-netinst.iso',
  'fedora-server-40-x86_64.iso',
  'virtio-win-0.1.262.iso',
  'drivers.vfd',
];

const types: Readonly<Record<string, string>> = { iso: 'iso', vfd: 'floppy', img: 'floppy' };

export const fileRules = rules({
  kind: 'file',

  /** `refresh` reads the storage again before anything is listed. */
  locate(ctx, place) {
    requireIsoDomain(ctx, place);
    if (ctx.parameters.flag('refresh') === true) readFiles(ctx, place.owner?.id ?? '');
    return place;
  },
});

function requireIsoDomain(ctx: RuleContext, { owner }: Place): void {
  const domain = ctx.tx.get('storage_domain', owner?.id ?? '');
  if (domain?.type !== 'iso') {
    throw notFound(`Storage domain ${domain?.name} is of type ${domain?.type}: it has no files.`);
  }
}

/** Reads the files of a domain from its storage: new ones are added, those that are gone removed. */
export function readFiles(ctx: RuleContext, domain: string): void {
  const collection = `/storagedomains/${domain}/files`;
  const found = new Set([...supplied, ...ctx.site.isoFiles()]);
  for (const { id = '' } of ctx.tx.list('file', { where: { collection } })) {
    if (!found.delete(id)) ctx.tx.remove('file', id, collection);
  }
  for (const name of found) {
    const type = types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'disk';
    ctx.tx.insert('file', collection, { id: name, name, type, storage_domain: { id: domain } });
  }
}
