/** The OVF store of a storage domain: a disk with the configurations of its VMs and templates. */

import { createTar, type TarFile } from '../../../formats/tar.ts';
import type { Resource } from '../../../model/resource.ts';
import type { LocatedObject } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { settleOwners } from '../../inventory/disk.ts';
import { isBlock, updateSizes } from '../../inventory/storage-space.ts';
import { listDiskAttachments } from '../../inventory/vm.ts';
import { writeTemplateOvf, writeVmOvf } from '../vm/ovf.ts';
import { requireStatus } from './domain-actions.ts';

type Disk = Resource<'disk'>;
type Domain = Resource<'storage_domain'>;

const alias = 'OVF_STORE';
/** Size of the disk, far more than the configurations need. */
const size = 128 * 2 ** 20;

/** Writes all configurations, and creates the disk if it does not exist. */
export function updateOvfStore(
  ctx: RuleContext,
  { object: domain }: LocatedObject<'storage_domain'>,
): undefined {
  requireStatus(ctx, domain, 'active', 'update');
  writeStore(ctx, domain, listStores(ctx, domain)[0]);
  return undefined;
}

/** Updates an existing OVF store before maintenance, because the domain may be detached next. */
export function refreshOvfStore(ctx: RuleContext, domain: Domain): void {
  const [found] = listStores(ctx, domain);
  if (found) writeStore(ctx, domain, found);
}

function writeStore(ctx: RuleContext, domain: Domain, found: Disk | undefined): void {
  const disk = found ?? createStore(ctx, domain);
  const id = disk.id ?? '';
  const files = configurations(ctx, domain);
  const about = {
    Updated: true,
    'Last Updated': ctx.timestamp,
    'Storage Domains': [{ uuid: domain.id }],
    'Disk Description': alias,
  };
  const archive = createTar(files, ctx.now);
  const written: Disk = {
    ...disk,
    description: JSON.stringify({ ...about, Size: archive.length }),
  };
  if (found) ctx.tx.update('disk', written);
  else ctx.tx.insert('disk', '/disks', written);
  ctx.afterCommit.push(() => ctx.site.images.write(id, archive, size));
  ctx.event('OVF_STORE_UPDATED', { storage_domain: domain });
}

/** OVF store disks of a domain. */
function listStores(ctx: RuleContext, domain: Domain): Disk[] {
  return ctx.tx
    .list('disk')
    .filter(
      ({ content_type: type, storage_domains: domains }) =>
        type === 'ovf_store' && domains?.some(({ id }) => id === domain.id),
    );
}

function createStore(ctx: RuleContext, domain: Domain): Disk {
  const disk: Disk = {
    id: ctx.site.newId(),
    alias,
    name: alias,
    storage_type: 'image',
    content_type: 'ovf_store',
    provisioned_size: size,
    format: 'raw',
    sparse: !isBlock(domain),
    shareable: true,
    wipe_after_delete: false,
    propagate_errors: false,
    backup: 'none',
    image_id: ctx.site.newId(),
    status: 'ok',
    storage_domains: [{ id: domain.id ?? '' }],
  };
  settleOwners(ctx, disk, domain, 'add');
  return { ...disk, ...updateSizes(ctx, disk) };
}

/** One document for each VM and template with a disk on the domain, and an index of them. */
function configurations(ctx: RuleContext, domain: Domain): TarFile[] {
  const there = (id: string | undefined) =>
    ctx.tx.get('disk', id ?? '')?.storage_domains?.some((one) => one.id === domain.id) ?? false;
  const machines = ctx.tx
    .list('vm')
    .filter((vm) => listDiskAttachments(ctx, vm).some(({ id }) => there(id)));
  const templates = ctx.tx.list('template').filter((template) => {
    const collection = `/templates/${template.id}/diskattachments`;
    return ctx.tx.list('disk_attachment', { where: { collection } }).some(({ id }) => there(id));
  });
  const about = { LastUpdated: ctx.timestamp, Domains: [domain.id] };
  return [
    { name: 'info.json', content: JSON.stringify(about) },
    ...machines.map((vm) => ({ name: `${vm.id}.ovf`, content: writeVmOvf(ctx, vm, 'ovf') })),
    ...templates.map((template) => ({
      name: `${template.id}.ovf`,
      content: writeTemplateOvf(ctx, template, 'ovf'),
    })),
  ];
}
