/** Registration of VMs and templates on a storage domain. */

import { getReferencedType, listAttributes, parseKind } from '../../model/index.ts';
import type { ActionBody, Resource } from '../../model/resource.ts';
import type { TypeName } from '../../model/resources/index.ts';
import { isRecord } from '../../records.ts';
import { isStored } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { checkName, resolveMember, resolveReferenceId } from '../core/input.ts';
import type { StoredObject } from '../store/kinds.ts';
import type { ObjectOf, Transaction } from '../store/transaction.ts';
import { allocateMac, requireUnused } from './mac-addresses.ts';
import {
  type OriginNames,
  registerDisk,
  type StoredPart,
  type WithOrigin,
} from './unregistered.ts';
import { blankTemplate, findClusterDataCenter } from './vm.ts';
import { requireDataCenter } from './vm-configuration.ts';

/**
 * The object without references that this site cannot resolve. Structures that become empty are
 * removed.
 */
export function omitUnknown<T extends StoredObject>(tx: Transaction, type: string, object: T): T {
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
  const known = omitUnknown(tx, type, part);
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

/** Registers a VM or template with its disks on the domain. Returns it. */
export function register(
  ctx: RuleContext,
  kind: Owner,
  domain: string,
  {
    parts = [],
    origin_names: origin,
    ...stored
  }: WithOrigin<Vm> | WithOrigin<Resource<'template'>>,
  body: ActionBody,
): StoredObject {
  const action = 'register';
  requireActive(ctx, domain, action);
  const object = adaptObject(ctx, kind, {
    ...stored,
    ...readNewName(body[kind]),
    ...(mappedCluster(ctx, stored, origin, body) ?? readCluster(ctx, body)),
  });
  const id = String(object['id']);
  if (ctx.tx.get(kind, id))
    ctx.refuse('REGISTERED_ALREADY', { action, name: String(object['name']) });
  checkName(ctx.tx, { kind, type: kind, collection: `/${kind}s` }, object, 'add');
  requireDataCenter(ctx, object, action);
  const missing = listDiskIds(parts).filter(
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
    const changed = adaptPart(ctx, part, object, body, origin);
    ctx.tx.insert(part.kind, part.collection, changed);
  }
  for (const disk of listDiskIds(parts)) registerDisk(ctx, domain, disk);
  const as = kind === 'vm' ? 'domain_vm' : 'domain_template';
  ctx.tx.remove(as, id, `/storagedomains/${domain}/${kind}s`);
  return object;
}

/** A VM or template after unknown references are removed or replaced. */
function adaptObject(ctx: RuleContext, kind: Owner, object: StoredObject): StoredObject {
  const known: Vm = omitUnknown(ctx.tx, kind, object);
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

/** A part of a VM or template after unknown references are removed or replaced. */
function adaptPart(
  ctx: RuleContext,
  { kind, object }: StoredPart,
  owner: Vm,
  body: StoredObject,
  origin: OriginNames | undefined,
): StoredObject {
  if (kind === 'nic') return adaptNic(ctx, object, owner, body, origin);
  return kind === 'cdrom' ? omitUnknown(ctx.tx, 'cdrom', object) : object;
}

function refuseRegistered(action: string) {
  return (ctx: RuleContext, { object }: { readonly object: { readonly name?: string } }): never =>
    ctx.refuse('REGISTERED_ALREADY', { action, name: object.name });
}

/** Actions of registered objects below a storage domain: always refused. */
export const registeredAlready = {
  register: refuseRegistered('register'),
  import: refuseRegistered('import'),
};

/** Requires an active domain. */
export function requireActive(ctx: RuleContext, domain: string, action: string): void {
  const status = ctx.tx.find('attached_storage_domain', { id: domain })?.status ?? 'unattached';
  if (status !== 'active') ctx.refuse('STORAGE_DOMAIN_STATUS_ILLEGAL', { action, status });
}

/** Ids of the disks in the parts of a VM or template. */
function listDiskIds(parts: readonly StoredPart[]): string[] {
  return parts
    .filter(({ kind }) => kind === 'disk_attachment')
    .map(({ object }) => String(object['id']));
}

function readNewName(sent: { readonly name?: string } | undefined): { name?: string } {
  const name = sent?.name;
  return name ? { name } : {};
}

/** The cluster in an action. */
export function readCluster(ctx: RuleContext, body: ActionBody): { cluster?: { id: string } } {
  const id = resolveReferenceId(ctx.tx, 'cluster', body.cluster);
  return id ? { cluster: { id } } : {};
}

/** Mapping of references from another site to this one. */
type Mappings = Resource<'registration_configuration'>;
type Named = { readonly id?: string; readonly name?: string };

function readMappings(body: ActionBody): Mappings {
  return body['registration_configuration'] ?? {};
}

/** Whether a mapping matches this object. */
function isMatch(from: Named | undefined, object: Named | undefined): boolean {
  if (!from || !object) return false;
  return from.id === undefined ? from.name === object.name : from.id === object.id;
}

/** The target cluster of the original one; undefined without a mapping. */
function mappedCluster(
  ctx: RuleContext,
  stored: { readonly cluster?: Named },
  origin: OriginNames | undefined,
  body: ActionBody,
): { cluster?: { id: string } } | undefined {
  const before = ctx.tx.get('cluster', stored.cluster?.id ?? '') ?? {
    ...stored.cluster,
    ...(origin?.cluster ? { name: origin.cluster } : {}),
  };
  const mapping = readMappings(body).cluster_mappings?.find(({ from }) => isMatch(from, before));
  return mapping?.to ? readCluster(ctx, { cluster: mapping.to }) : undefined;
}

/** The target profile of another one, by its id or name. */
function mappedProfile(
  ctx: RuleContext,
  profile: Named | undefined,
  body: ActionBody,
): string | undefined {
  const { vnic_profile_mappings: mappings } = readMappings(body);
  const to = mappings?.find(({ from }) => isMatch(from, profile))?.to;
  return to && resolveMember(ctx.tx, 'vnic_profile', to);
}

/** A NIC after registration: its address must be free and its profile must exist. */
function adaptNic(
  ctx: RuleContext,
  object: StoredObject,
  vm: Vm,
  body: ActionBody,
  origin: OriginNames | undefined,
): StoredObject {
  const nic: Nic = { ...object };
  const mac = nic.mac?.address ?? '';
  const taken = ctx.tx.count('nic', { where: { mac_address: mac } }) > 0;
  if (taken && body['reassign_bad_macs'] === true) {
    nic.mac = { address: allocateMac(ctx, vm, 'register') };
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
    : (mappedProfile(ctx, from, body) ?? profile?.id ?? findSameProfile(ctx, vm, network, name));
  if (target) nic.vnic_profile = { id: target };
  else delete nic.vnic_profile;
  return nic;
}

/** The profile with this name in a network with this name in the data center. */
function findSameProfile(
  ctx: RuleContext,
  vm: Vm,
  network: string | undefined,
  profile: string | undefined,
): string | undefined {
  if (!network || !profile) return undefined;
  const home = findClusterDataCenter(ctx, vm.cluster?.id)?.id;
  const [found] = ctx.tx
    .list('network', { where: { name: network } })
    .filter(({ data_center }) => data_center?.id === home)
    .flatMap(({ id = '' }) => ctx.tx.list('vnic_profile', { where: { network_id: id } }))
    .filter(({ name }) => name === profile);
  return found?.id;
}
