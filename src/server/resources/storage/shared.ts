/**
 * Domains on storage that several sites see. One that is detached is handed over with all that is on
 * it; whichever site attaches it next takes that.
 */
import type { Resource } from '../../../model/resource.ts';
import type { RuleContext } from '../../core/context.ts';
import { withoutSecrets } from '../../core/masked-secrets.ts';
import type { HandedOver, SharedImage, SharedStorage } from '../../core/ports.ts';
import type { ImageCopy } from '../../core/transition-handlers.ts';
import { knownHere } from '../../inventory/register.ts';
import { contentsOf, type Origin, type Part, type Stored } from '../../inventory/unregistered.ts';
import type { StoredObject } from '../../store/kinds.ts';
import { ovfOfTemplate, ovfOfVm } from '../vm/ovf.ts';

type Domain = Resource<'storage_domain'>;
type Vm = Stored<Resource<'vm'>>;
type Template = Stored<Resource<'template'>>;

/** OVF documents by the id of their machine or template. */
type Documents = ReadonlyMap<string, string>;

/** The shared storage that a domain is on; undefined where it is on storage of this site alone. */
function storageOf(ctx: RuleContext, domain: Domain): SharedStorage | undefined {
  const isShared =
    (domain.type === 'data' || domain.type === 'export') && domain.storage?.type !== 'localfs';
  return isShared ? ctx.site.sharedStorage : undefined;
}

/** The domains on shared storage that no site has attached and this one does not know. */
export function sharedDomains(ctx: RuleContext): Domain[] {
  const all = ctx.site.sharedStorage?.domains() ?? [];
  return all
    .filter(({ isFree }) => isFree)
    .map(({ domain }): Domain => domain)
    .filter(({ id }) => !ctx.tx.get('storage_domain', id ?? ''));
}

/** Refuses where a domain on shared storage fits that this site cannot have. */
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

/** Refuses to detach a domain that another site has handed over, or has: this would undo that. */
export function requireToHandOver(ctx: RuleContext, domain: Domain): void {
  const found = storageOf(ctx, domain)?.domain(domain.id ?? '');
  if (found?.holder !== undefined) refuseHeld(ctx, domain, found.holder, 'detach');
  if (found?.isFree) refuseHeld(ctx, domain, 'a site that released it', 'detach');
}

/** Takes a domain that is being attached for this site; refuses where another one has it. */
export function claimShared(ctx: RuleContext, domain: Domain): void {
  const id = domain.id ?? '';
  const storage = storageOf(ctx, domain);
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
  // Before this is committed nothing says so but the storage: a crash leaves a claim, see `reviewClaims`.
  if (claim === 'made') ctx.tx.undo.push(() => storage.disclaim(id));
}

/**
 * Makes shared storage agree with the inventory after a crash that came between the two: gives up what
 * this site has claimed and not attached, and removes what it has taken already.
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

/** The images that come with a domain which is being attached. */
export function imagesToTake(ctx: RuleContext, id: string): ImageCopy[] {
  const images = ctx.site.sharedStorage?.contents(id)?.images ?? [];
  return images.map((image) => copyOf(id, image, 'take'));
}

/** What is on a domain is here now, to be registered. */
export function takeContents(ctx: RuleContext, id: string): void {
  const storage = ctx.site.sharedStorage;
  const contents = storage?.contents(id);
  if (!storage || !contents) return;
  const [profile] = ctx.tx.list('disk_profile', { where: { storage_domain_id: id } });
  const disks: readonly Resource<'disk'>[] = contents.disks;
  for (const disk of disks) {
    const { disk_profile: own = profile?.id ? { id: profile.id } : undefined, ...rest } = knownHere(
      ctx.tx,
      'disk',
      disk,
    );
    const stored = { ...rest, ...(own ? { disk_profile: own } : {}) };
    if (ctx.tx.get('unregistered_disk', disk.id ?? '', contentsOf(id, 'disks'))) continue;
    ctx.tx.insert('unregistered_disk', contentsOf(id, 'disks'), stored);
  }
  for (const { collection, object } of contents.snapshots) {
    ctx.tx.insert('disk_snapshot', collection, object);
  }
  for (const vm of contents.vms) ctx.tx.insert('domain_vm', contentsOf(id, 'vms'), vm);
  for (const template of contents.templates) {
    ctx.tx.insert('domain_template', contentsOf(id, 'templates'), template);
  }
  ctx.afterCommit.push(() => storage.taken(id));
}

/** The images that have to be on the storage before a domain can be detached. */
export function imagesToBring(ctx: RuleContext, id: string): ImageCopy[] {
  const domain = ctx.tx.get('storage_domain', id) ?? {};
  if (!storageOf(ctx, domain)) return [];
  const disks = [
    ...ctx.tx.referring('disk', 'storage_domains', id),
    ...ctx.tx.list('unregistered_disk', { where: { collection: contentsOf(id, 'disks') } }),
  ];
  return imagesOf(ctx, disks).map((image) => copyOf(id, image, 'bring'));
}

function copyOf(domain: string, { id, length }: SharedImage, way: 'bring' | 'take'): ImageCopy {
  return { from: id, to: id, length, shared: { domain, way } };
}

/** Image files of disks and of their snapshots, as far as there is something in them. */
function imagesOf(ctx: RuleContext, disks: readonly { id?: string }[]): SharedImage[] {
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

/** The configuration of what a domain is about to take along, written while it is in the inventory. */
export function documentsOf(
  ctx: RuleContext,
  vms: readonly Resource<'vm'>[],
  templates: readonly Resource<'template'>[],
): Documents {
  return new Map([
    ...vms.map((vm) => [vm.id ?? '', ovfOfVm(ctx, vm, 'ovf')] as const),
    ...templates.map((one) => [one.id ?? '', ovfOfTemplate(ctx, one, 'ovf')] as const),
  ]);
}

/**
 * Writes what was on a domain that has left the inventory on the storage, where it is alone from now
 * on; the domain stays with this site until it is released. False where it is not on shared storage.
 */
export function handOver(ctx: RuleContext, domain: Domain, documents: Documents): boolean {
  const id = domain.id ?? '';
  const storage = storageOf(ctx, domain);
  if (!storage) return false;
  const list = <K extends 'domain_vm' | 'domain_template' | 'unregistered_disk'>(
    kind: K,
    what: 'vms' | 'templates' | 'disks',
  ) => ctx.tx.list(kind, { where: { collection: contentsOf(id, what) } });
  const [vms, templates, disks] = [
    list('domain_vm', 'vms'),
    list('domain_template', 'templates'),
    list('unregistered_disk', 'disks'),
  ];
  const images = imagesOf(ctx, disks);
  const snapshots = disks.flatMap((disk) => ctx.tx.below('disk_snapshot', `/disks/${disk.id}`));
  const contents: HandedOver = {
    vms: vms.map((vm) => withOrigin(ctx, vm)),
    templates: templates.map((template) => withOrigin(ctx, template)),
    disks,
    snapshots: snapshots.map(({ collection, object }) => ({ collection, object })),
    images,
  };
  storage.handOver(id, withoutAccess(domain), contents, documents);
  for (const { id: vm = '' } of vms) ctx.tx.remove('domain_vm', vm, contentsOf(id, 'vms'));
  for (const { id: template = '' } of templates) {
    ctx.tx.remove('domain_template', template, contentsOf(id, 'templates'));
  }
  for (const { id: disk = '' } of disks) {
    ctx.tx.removeBelow('disk_snapshot', `/disks/${disk}`);
    ctx.tx.remove('unregistered_disk', disk, contentsOf(id, 'disks'));
  }
  for (const image of images) ctx.afterCommit.push(() => ctx.site.images.remove(image.id));
  return true;
}

/** The step after which another site may have a domain that was handed over. */
export function releaseOf(id: string): ImageCopy {
  return { from: id, to: id, shared: { domain: id, way: 'release' } };
}

/**
 * A VM or template with the names of what it refers to here and another site does not have, without
 * secrets, as OVF has it: they belong to the first start of a guest.
 */
function withOrigin(ctx: RuleContext, object: Vm | Template): StoredObject {
  const known = object.origin_names;
  const profiles = (object.parts ?? [])
    .filter(({ kind }: Part) => kind === 'nic')
    .flatMap(({ object: nic }) => profileNames(ctx, nic));
  const origin: Origin = {
    cluster: ctx.tx.get('cluster', object.cluster?.id ?? '')?.name ?? known?.cluster,
    profiles: { ...known?.profiles, ...Object.fromEntries(profiles) },
  };
  return { ...withoutSecrets(object), origin_names: origin };
}

function profileNames(ctx: RuleContext, nic: Resource<'nic'>) {
  const profile = ctx.tx.get('vnic_profile', nic.vnic_profile?.id ?? '');
  const network = ctx.tx.get('network', profile?.network?.id ?? '');
  if (!profile?.id) return [];
  return [[profile.id, { name: profile.name, network: network?.name }] as const];
}

/** A domain as it is written on the storage: how it is reached stays with the sites. */
function withoutAccess(domain: Domain): StoredObject {
  const { data_centers: _home, storage_connections: _own, ...rest } = domain;
  const { password: _password, username: _user, ...storage } = rest.storage ?? {};
  return { ...rest, status: 'unattached', storage };
}

/** A domain that is erased is erased on the storage, too. */
export function eraseShared(ctx: RuleContext, domain: Domain): void {
  const storage = storageOf(ctx, domain);
  if (storage) ctx.afterCommit.push(() => storage.erase(domain.id ?? ''));
}
