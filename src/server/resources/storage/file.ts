/** ISO and floppy images on ISO domains: built-in ones, and those in a folder. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { BareNotFound } from '../../core/fault.ts';

/** Initial contents of an ISO domain. */
const supplied = [
  'debian-12.7.0-amd64-netinst.iso',
  'fedora-server-40-x86_64.iso',
  'virtio-win-0.1.262.iso',
  'drivers.vfd',
];

const types: Readonly<Record<string, string>> = { iso: 'iso', vfd: 'floppy', img: 'floppy' };

export const fileBehavior = defineBehavior('file', {
  /** `refresh` rereads the storage before the list. */
  locate(ctx, ref) {
    requireIsoDomain(ctx, ref);
    if (ctx.parameters.flag('refresh') === true) readFiles(ctx, ref.owner?.id ?? '');
    return ref;
  },
});

function requireIsoDomain(ctx: RuleContext, { owner }: CollectionRef): void {
  const domain = ctx.tx.get('storage_domain', owner?.id ?? '');
  if (domain?.type !== 'iso') {
    throw new BareNotFound(
      `Storage domain ${domain?.name} is of type ${domain?.type} and has no files.`,
    );
  }
}

/** Synchronizes the files of a domain with its storage. */
export function readFiles(ctx: RuleContext, domain: string): void {
  const collection = `/storagedomains/${domain}/files`;
  // The supplied files have no content, so that no real VM can use them.
  const simulated = ctx.site.hypervisor ? [] : supplied;
  const found = new Set([...simulated, ...ctx.site.isoFiles()]);
  for (const file of ctx.tx.list('file', { where: { collection } })) {
    if (!found.delete(file.id ?? '') && !file.given)
      ctx.tx.remove('file', file.id ?? '', collection);
  }
  for (const name of found) addFile(ctx, domain, name);
}

/** A stored file. Responses do not show whether it comes from an inventory. */
type StoredFile = Resource<'file'> & { readonly given?: boolean };

/** Adds a file to a domain. A `given` file exists even if the storage does not have it. */
export function addFile(ctx: RuleContext, domain: string, name: string, given = false): StoredFile {
  const type = types[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'disk';
  const file: StoredFile = {
    id: name,
    name,
    type,
    storage_domain: { id: domain },
    ...(given ? { given } : {}),
  };
  const collection = `/storagedomains/${domain}/files`;
  if (ctx.tx.get('file', name, collection)) ctx.tx.update('file', file, collection);
  else ctx.tx.insert('file', collection, file);
  return file;
}
