/**
 * Domains on storage shared by several sites. Detaching a domain hands over its contents to the
 * site that attaches it next.
 */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { omitSecrets } from '../../core/masked-secrets.ts';
import type { DomainContents, SharedImage, SharedStorage } from '../../core/ports.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { omitUnknown } from '../../inventory/register.ts';
import {
  formatContentsPath,
  type OriginNames,
  type StoredPart,
  type WithOrigin,
} from '../../inventory/unregistered.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { writeTemplateOvf, writeVmOvf } from '../vm/ovf.ts';

type Domain = Resource<'storage_domain'>;
type Vm = WithOrigin<Resource<'vm'>>;
type Template = WithOrigin<Resource<'template'>>;

/** OVF documents by the id of their VM or template. */
type Documents = ReadonlyMap<string, string>;

/** The shared storage of a domain; undefined if only this site uses the storage. */
function findStorage(ctx: RuleContext, domain: Domain): SharedStorage | undefined {
  const isShared =
    (domain.type === 'data' || domain.type === 'export') && domain.storage?.type !== 'localfs';
  return isShared ? ctx.site.sharedStorage : undefined;
}

/** Unattached domains on shared storage that this site does not have. */
export function listSharedDomains(ctx: RuleContext): Domain[] {
  const all = ctx.site.sharedStorage?.domains() ?? [];
  return all
    .filter(({ isFree }) => isFree)
    .map(({ domain }): Domain => domain)
    .filter(({ id }) => !ctx.tx.get('storage_domain', id ?? ''));
}

/** Refuses if a matching domain on shared storage is not available to this site. */
export function requireUnused(
  ctx: RuleContext,
  fits: (domain: Domain) => boolean,
  action: string,
): void {
  for (const { domain: found, holder } of ctx.site.sharedStorage?.domains() ?? []) {
    const domain: Domain = found;
    if (!fits(domain)) continue;
    if (holder !== undefined) refuseHeld(ctx, domain, holder, action);
    if (action === 'add') ctx.refuse('DOMAIN_EXISTS', { action, name: domain.name });
  }
}

function refuseHeld(ctx: RuleContext, domain: Domain, holder: string, action: string): never {
  ctx.refuse('DOMAIN_ATTACHED_ELSEWHERE', { action, name: domain.name, holder });
}

/**
 * Refuses to detach a domain that another site has or has handed over: this site would overwrite
 * it.
 */
export function requireToHandOver(ctx: RuleContext, domain: Domain): void {
  const found = findStorage(ctx, domain)?.domain(domain.id ?? '');
  if (found?.holder !== undefined) refuseHeld(ctx, domain, found.holder, 'detach');
  if (found?.isFree) refuseHeld(ctx, domain, 'a site that released it', 'detach');
}

/** Claims a domain for this site while it is attached. Refuses if another site has it. */
export function claimShared(ctx: RuleContext, domain: Domain): void {
  const id = domain.id ?? '';
  const storage = findStorage(ctx, domain);
  if (!storage) return;
  const contents = storage.contents(id);
  const known = contents?.disks.filter(
    (disk) => ctx.tx.get('disk', String(disk['id'])) !== undefined,
  );
  if (known?.length) {
    const names = known.map((disk) => String(disk['alias'] ?? disk['id'])).join(', ');
    ctx.refuse('DOMAIN_CONTENTS_HERE', { action: 'attach', name: domain.name, names });
  }
  const claim = storage.claim(id, withoutAccess(domain));
  if (claim === 'refused') {
    refuseHeld(ctx, domain, storage.domain(id)?.holder ?? 'another site', 'attach');
  }
  // Until the commit, only the storage records the claim: after a crash, `reviewClaims` releases
  // it.
  if (claim === 'made') ctx.tx.undo.push(() => storage.disclaim(id));
}

/**
 * Reconciles shared storage with the inventory after a crash: releases claims of unattached
 * domains, and removes contents that were already taken.
 */
export function reviewClaims(ctx: RuleContext): void {
  const storage = ctx.site.sharedStorage;
  for (const { domain, holder, isFree } of storage?.domains() ?? []) {
    const id = String(domain['id']);
    if (isFree || holder !== undefined) continue;
    const attached = ctx.tx.find('attached_storage_domain', { id });
    if (!attached) storage?.disclaim(id);
    else if (attached.status === 'active') storage?.taken(id);
  }
}

/** The images to take from a domain during attachment. */
export function imagesToTake(ctx: RuleContext, id: string): ImageCopy[] {
  const images = ctx.site.sharedStorage?.contents(id)?.images ?? [];
  return images.map((image) => createCopy(id, image, 'take'));
}

/** Adds the contents of a domain as unregistered objects. */
export function takeContents(ctx: RuleContext, id: string): void {
  const storage = ctx.site.sharedStorage;
  const contents = storage?.contents(id);
  if (!storage || !contents) return;
  const [profile] = ctx.tx.list('disk_profile', { where: { storage_domain_id: id } });
  const disks: readonly Resource<'disk'>[] = contents.disks;
  for (const disk of disks) {
    const { disk_profile: own = profile?.id ? { id: profile.id } : undefined, ...rest } =
      omitUnknown(ctx.tx, 'disk', disk);
    const stored = { ...rest, ...(own ? { disk_profile: own } : {}) };
    if (ctx.tx.get('unregistered_disk', disk.id ?? '', formatContentsPath(id, 'disks'))) continue;
    ctx.tx.insert('unregistered_disk', formatContentsPath(id, 'disks'), stored);
  }
  for (const { collection, object } of contents.snapshots) {
    ctx.tx.insert('disk_snapshot', collection, object);
  }
  for (const vm of contents.vms) ctx.tx.insert('domain_vm', formatContentsPath(id, 'vms'), vm);
  for (const template of contents.templates) {
    ctx.tx.insert('domain_template', formatContentsPath(id, 'templates'), template);
  }
  ctx.afterCommit.push(() => storage.taken(id));
}

/** The images to move to the storage before a domain can be detached. */
export function imagesToBring(ctx: RuleContext, id: string): ImageCopy[] {
  const domain = ctx.tx.get('storage_domain', id) ?? {};
  if (!findStorage(ctx, domain)) return [];
  const disks = [
    ...ctx.tx.referring('disk', 'storage_domains', id),
    ...ctx.tx.list('unregistered_disk', { where: { collection: formatContentsPath(id, 'disks') } }),
  ];
  return listImages(ctx, disks).map((image) => createCopy(id, image, 'bring'));
}

function createCopy(domain: string, { id, length }: SharedImage, way: 'bring' | 'take'): ImageCopy {
  return { from: id, to: id, length, shared: { domain, way } };
}

/** Image files of disks and of their snapshots that contain data. */
function listImages(ctx: RuleContext, disks: readonly { id?: string }[]): SharedImage[] {
  return disks
    .flatMap(({ id = '' }) => [
      id,
      ...ctx.tx.below('disk_snapshot', `/disks/${id}`).map(({ object }) => object.id ?? ''),
    ])
    .flatMap((id) => {
      const record = ctx.tx.images.get(id);
      return record?.written ? [{ id, length: record.length }] : [];
    });
}

/** The configurations of VMs and templates on a domain, written before they leave the inventory. */
export function writeOvfDocuments(
  ctx: RuleContext,
  vms: readonly Resource<'vm'>[],
  templates: readonly Resource<'template'>[],
): Documents {
  return new Map([
    ...vms.map((vm) => [vm.id ?? '', writeVmOvf(ctx, vm, 'ovf')] as const),
    ...templates.map((one) => [one.id ?? '', writeTemplateOvf(ctx, one, 'ovf')] as const),
  ]);
}

/**
 * Writes the contents of a domain that has left the inventory to the storage. This site retains the
 * domain until its release. Returns false if the storage is not shared.
 */
export function handOverContents(ctx: RuleContext, domain: Domain, documents: Documents): boolean {
  const id = domain.id ?? '';
  const storage = findStorage(ctx, domain);
  if (!storage) return false;
  const list = <K extends 'domain_vm' | 'domain_template' | 'unregistered_disk'>(
    kind: K,
    what: 'vms' | 'templates' | 'disks',
  ) => ctx.tx.list(kind, { where: { collection: formatContentsPath(id, what) } });
  const [vms, templates, disks] = [
    list('domain_vm', 'vms'),
    list('domain_template', 'templates'),
    list('unregistered_disk', 'disks'),
  ];
  const images = listImages(ctx, disks);
  const snapshots = disks.flatMap((disk) => ctx.tx.below('disk_snapshot', `/disks/${disk.id}`));
  const contents: DomainContents = {
    vms: vms.map((vm) => withOrigin(ctx, vm)),
    templates: templates.map((template) => withOrigin(ctx, template)),
    disks,
    snapshots: snapshots.map(({ collection, object }) => ({ collection, object })),
    images,
  };
  storage.handOver(id, withoutAccess(domain), contents, documents);
  for (const { id: vm = '' } of vms) ctx.tx.remove('domain_vm', vm, formatContentsPath(id, 'vms'));
  for (const { id: template = '' } of templates) {
    ctx.tx.remove('domain_template', template, formatContentsPath(id, 'templates'));
  }
  for (const { id: disk = '' } of disks) {
    ctx.tx.removeBelow('disk_snapshot', `/disks/${disk}`);
    ctx.tx.remove('unregistered_disk', disk, formatContentsPath(id, 'disks'));
  }
  for (const image of images) ctx.afterCommit.push(() => ctx.site.images.remove(image.id));
  return true;
}

/** The step that releases a domain to other sites after its handover. */
export function createReleaseStep(id: string): ImageCopy {
  return { from: id, to: id, shared: { domain: id, way: 'release' } };
}

/**
 * A VM or template with the names of references that other sites cannot resolve. Omits secrets,
 * like OVF: they belong to the first start of a guest.
 */
function withOrigin(ctx: RuleContext, object: Vm | Template): StoredObject {
  const known = object.origin_names;
  const profiles = (object.parts ?? [])
    .filter(({ kind }: StoredPart) => kind === 'nic')
    .flatMap(({ object: nic }) => profileNames(ctx, nic));
  const origin: OriginNames = {
    cluster: ctx.tx.get('cluster', object.cluster?.id ?? '')?.name ?? known?.cluster,
    profiles: { ...known?.profiles, ...Object.fromEntries(profiles) },
  };
  return { ...omitSecrets(object), origin_names: origin };
}

function profileNames(ctx: RuleContext, nic: Resource<'nic'>) {
  const profile = ctx.tx.get('vnic_profile', nic.vnic_profile?.id ?? '');
  const network = ctx.tx.get('network', profile?.network?.id ?? '');
  if (!profile?.id) return [];
  return [[profile.id, { name: profile.name, network: network?.name }] as const];
}

/** A domain as stored on shared storage, without the access settings of this site. */
function withoutAccess(domain: Domain): StoredObject {
  const { data_centers: _home, storage_connections: _own, ...rest } = domain;
  const { password: _password, username: _user, ...storage } = rest.storage ?? {};
  return { ...rest, status: 'unattached', storage };
}

/** Erases the domain on shared storage. */
export function eraseShared(ctx: RuleContext, domain: Domain): void {
  const storage = findStorage(ctx, domain);
  if (storage) ctx.afterCommit.push(() => storage.erase(domain.id ?? ''));
}
