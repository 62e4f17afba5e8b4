/** Registration of virtual machines and templates that a storage domain holds. */
import { getReferencedType, listAttributes, parseKind } from '../../model/index.ts';
import type { ActionBody, Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isStored } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { checkName, referredId, resolveMember } from '../core/input.ts';
import { isRecord, type StoredObject } from '../store/kinds.ts';
import type { ObjectOf, Transaction } from '../store/transaction.ts';
import { nextMac, requireUnused } from './mac-addresses.ts';
import { type Origin, type Part, registerDisk, type Stored } from './unregistered.ts';
import { blankTemplate, dataCenterOfCluster } from './vm.ts';
import { requireDataCenter } from './vm-configuration.ts';

/** The object without references to what is not here; a structure that has nothing else goes, too. */
export function knownHere<T extends StoredObject>(tx: Transaction, type: string, object: T): T {
  const known = { ...object };
  const members: StoredObject = known;
  for (const [name, value] of Object.entries(object)) {
    const attribute = listAttributes(type)[name];
    if (!attribute) continue;
    const { form, of } = parseKind(attribute.kind);
    if (form === 'struct') {
      const left = Array.isArray(value)
        ? value.flatMap((one: unknown) => (isRecord(one) ? (knownPart(tx, of, one) ?? []) : [one]))
        : isRecord(value)
          ? knownPart(tx, of, value)
          : value;
      if (left === undefined) delete members[name];
      else members[name] = left;
    } else if (form === 'ref' && !isHere(tx, of, value)) {
      delete members[name];
    } else if (form === 'links' && Array.isArray(value)) {
      members[name] = value.filter((one: unknown) => isHere(tx, of, one));
    }
  }
  return known;
}

function knownPart(tx: Transaction, type: string, part: StoredObject): StoredObject | undefined {
  const known = knownHere(tx, type, part);
  const isEmptied = Object.keys(known).length === 0 && Object.keys(part).length > 0;
  return isEmptied ? undefined : known;
}

function isHere(tx: Transaction, named: TypeName, value: unknown): boolean {
  const type = getReferencedType(named);
  if (!isStored(type) || !isRecord(value) || typeof value['id'] !== 'string') return true;
  return tx.get(type, value['id']) !== undefined;
}

type Vm = ObjectOf<'vm'>;
type Nic = Resource<'nic'>;
type Owner = 'vm' | 'template';

/** Puts a machine or template back, with its disks on the domain. Returns it. */
export function register(
  ctx: RuleContext,
  kind: Owner,
  domain: string,
  { parts = [], origin_names: origin, ...stored }: Stored<Vm> | Stored<Resource<'template'>>,
  body: ActionBody,
): StoredObject {
  const action = 'register';
  requireActive(ctx, domain, action);
  const object = settledIn(ctx, kind, {
    ...stored,
    ...renamed(body[kind]),
    ...(mappedCluster(ctx, stored, origin, body) ?? clusterIn(ctx, body)),
  });
  const id = String(object['id']);
  if (ctx.tx.get(kind, id))
    ctx.refuse('REGISTERED_ALREADY', { action, name: String(object['name']) });
  checkName(ctx.tx, { kind, type: kind, collection: `/${kind}s` }, object, 'add');
  requireDataCenter(ctx, object, action);
  const missing = disksIn(parts).filter(
    (disk) => !ctx.tx.get('unregistered_disk', disk) && !ctx.tx.get('disk', disk),
  );
  if (missing.length > 0 && body['allow_partial_import'] !== true) {
    ctx.refuse('DISKS_MISSING', {
      action,
      name: String(object['name']),
      names: missing.join(', '),
    });
  }
  ctx.tx.insert(kind, `/${kind}s`, object);
  for (const part of parts) {
    if (part.kind === 'disk_attachment' && missing.includes(String(part.object['id']))) continue;
    const changed = partIn(ctx, part, object, body, origin);
    ctx.tx.insert(part.kind, part.collection, changed);
  }
  for (const disk of disksIn(parts)) registerDisk(ctx, domain, disk);
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  ctx.tx.remove(as, id, `/storagedomains/${domain}/${kind}s`);
  return object;
}

/** A machine or template as it comes in: what it named that is not here is left out, or replaced. */
function settledIn(ctx: RuleContext, kind: Owner, object: StoredObject): StoredObject {
  const known: Vm = knownHere(ctx.tx, kind, object);
  const profile = ctx.tx.get('cpu_profile', known.cpu_profile?.id ?? '');
  if (profile?.cluster?.id !== known.cluster?.id) {
    const own = ctx.tx.find('cpu_profile', { cluster_id: known.cluster?.id ?? '' });
    if (own?.id) known.cpu_profile = { id: own.id };
    else delete known.cpu_profile;
  }
  if (kind === 'vm') {
    known.template ??= { id: blankTemplate };
    known.original_template ??= { id: blankTemplate };
  }
  return known;
}

/** A part of a machine or template as it comes in. */
function partIn(
  ctx: RuleContext,
  { kind, object }: Part,
  owner: Vm,
  body: StoredObject,
  origin: Origin | undefined,
): StoredObject {
  if (kind === 'nic') return nicIn(ctx, object, owner, body, origin);
  return kind === 'cdrom' ? knownHere(ctx.tx, 'cdrom', object) : object;
}

function refuseRegistered(action: string) {
  return (ctx: RuleContext, { object }: { readonly object: { readonly name?: string } }): never =>
    ctx.refuse('REGISTERED_ALREADY', { action, name: object.name });
}

/** Actions below a storage domain of what is in the inventory, and so needs them not. */
export const registeredAlready = {
  register: refuseRegistered('register'),
  import: refuseRegistered('import'),
};

/** Refuses a domain that is not active. */
export function requireActive(ctx: RuleContext, domain: string, action: string): void {
  const status = ctx.tx.find('attached_storage_domain', { id: domain })?.status ?? 'unattached';
  if (status !== 'active') ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status });
}

/** Ids of the disks that the parts of a machine or template name. */
function disksIn(parts: readonly Part[]): string[] {
  return parts
    .filter(({ kind }) => kind === 'disk_attachment')
    .map(({ object }) => String(object['id']));
}

function renamed(sent: { readonly name?: string } | undefined): { name?: string } {
  const name = sent?.name;
  return name ? { name } : {};
}

/** The cluster that an action names. */
export function clusterIn(ctx: RuleContext, body: ActionBody): { cluster?: { id: string } } {
  const id = referredId(ctx.tx, 'cluster', body.cluster);
  return id ? { cluster: { id } } : {};
}

/** How a client says that names of another site map to this one. */
type Mappings = Resource<'registration_configuration'>;
type Named = { readonly id?: string; readonly name?: string };

function mappingsOf(body: ActionBody): Mappings {
  return body['registration_configuration'] ?? {};
}

/** Whether a mapping is about this object. */
function isMeant(from: Named | undefined, object: Named | undefined): boolean {
  if (!from || !object) return false;
  return from.id === undefined ? from.name === object.name : from.id === object.id;
}

/** The cluster that the one which a machine was in maps to; undefined where no mapping says so. */
function mappedCluster(
  ctx: RuleContext,
  stored: { readonly cluster?: Named },
  origin: Origin | undefined,
  body: ActionBody,
): { cluster?: { id: string } } | undefined {
  const before = ctx.tx.get('cluster', stored.cluster?.id ?? '') ?? {
    ...stored.cluster,
    ...(origin?.cluster ? { name: origin.cluster } : {}),
  };
  const mapping = mappingsOf(body).cluster_mappings?.find(({ from }) => isMeant(from, before));
  return mapping?.to ? clusterIn(ctx, { cluster: mapping.to }) : undefined;
}

/** The profile that another one maps to, by its id or name. */
function mappedProfile(
  ctx: RuleContext,
  profile: Named | undefined,
  body: ActionBody,
): string | undefined {
  const { vnic_profile_mappings: mappings } = mappingsOf(body);
  const to = mappings?.find(({ from }) => isMeant(from, profile))?.to;
  return to && resolveMember(ctx.tx, 'vnic_profile', to);
}

/** An interface as it comes back: its address must be free, its profile must be there. */
function nicIn(
  ctx: RuleContext,
  object: StoredObject,
  vm: Vm,
  body: ActionBody,
  origin: Origin | undefined,
): StoredObject {
  const nic: Nic = { ...object };
  const mac = nic.mac?.address ?? '';
  const taken = ctx.tx.count('nic', { where: { mac_address: mac } }) > 0;
  if (taken && body['reassign_bad_macs'] === true) {
    nic.mac = { address: nextMac(ctx, vm, 'register') };
  } else if (taken) {
    requireUnused(ctx, nic, vm, mac, 'register');
  }
  const id = nic.vnic_profile?.id ?? '';
  const profile = ctx.tx.get('vnic_profile', id);
  const there = origin?.profiles[id];
  const name = profile?.name ?? there?.name;
  const network = profile ? ctx.tx.get('network', profile.network?.id ?? '')?.name : there?.network;
  const mappings = body['vnic_profile_mappings'] ?? [];
  const mapping = mappings.find(
    (one) => one.source_network_name === network && one.source_network_profile_name === name,
  );
  const from = name ? { id, name } : undefined;
  const target = mapping
    ? mapping.target_vnic_profile?.id
    : (mappedProfile(ctx, from, body) ?? profile?.id ?? sameProfile(ctx, vm, network, name));
  if (target) nic.vnic_profile = { id: target };
  else delete nic.vnic_profile;
  return nic;
}

/** The profile of the same name, of the network of the same name in the data center. */
function sameProfile(
  ctx: RuleContext,
  vm: Vm,
  network: string | undefined,
  profile: string | undefined,
): string | undefined {
  if (!network || !profile) return undefined;
  const home = dataCenterOfCluster(ctx, vm.cluster?.id)?.id;
  const [found] = ctx.tx
    .list('network', { where: { name: network } })
    .filter(({ data_center }) => data_center?.id === home)
    .flatMap(({ id = '' }) => ctx.tx.list('vnic_profile', { where: { network_id: id } }))
    .filter(({ name }) => name === profile);
  return found?.id;
}
