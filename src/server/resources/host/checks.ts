/** Validation of host settings on add and update. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import { reconfigurable } from '../../../model/resources/host.ts';
import { isRecord } from '../../../records.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import { listAttachedDomains } from '../../inventory/data-center.ts';
import { getValueAt, type StoredObject } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Host = ObjectOf<'host'>;

const hostName =
  /^(?=.{1,255}$)[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*\.?$/;
const ipv6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/;

/** Refuses an invalid address, and the address of another host. */
export function checkAddress(ctx: RuleContext, host: Host, action: string): void {
  const address = host.address ?? '';
  if (!hostName.test(address) && !ipv6.test(address)) {
    ctx.refuse('HOST_ADDRESS_INVALID', { action, address });
  }
  const other = ctx.tx.find('host', { address });
  if (other && other.id !== host.id) {
    ctx.refuse('HOST_ADDRESS_IN_USE', { action, name: other.name, address });
  }
}

function checkRange(
  ctx: RuleContext,
  action: string,
  attribute: string,
  value: number | undefined,
  [min, max]: readonly [number, number],
): void {
  if (value === undefined || (value >= min && value <= max)) return;
  ctx.refuse('VALUE_OUT_OF_RANGE', { action, type: 'Host', attribute, value, min, max });
}

/** Refuses ports and priorities outside of their range. */
export function checkNumbers(ctx: RuleContext, host: Host, action: string): void {
  checkRange(ctx, action, 'ssh.port', host.ssh?.port, [1, 65_535]);
  checkRange(ctx, action, 'port', host.port, [1, 65_535]);
  checkRange(ctx, action, 'spm.priority', host.spm?.priority, [-1, 10]);
}

/** Whether the request selects authentication by public key. */
function usesPublicKey(sent: StoredObject): boolean {
  return getValueAt(sent, ['ssh', 'authentication_method']) === 'publickey';
}

function hasPassword(sent: StoredObject): boolean {
  const passwords = [sent['root_password'], getValueAt(sent, ['ssh', 'user', 'password'])];
  return passwords.some((password) => typeof password === 'string' && password !== '');
}

/** Requires a password or public key for the first installation. */
export function requireSignIn(sent: StoredObject): void {
  if (!usesPublicKey(sent) && !hasPassword(sent)) {
    throw incomplete('Host', ['rootPassword'], 'add');
  }
}

/** Requires a password or public key for reinstallation. Approval uses the key by default. */
export function requireSignInAgain(ctx: RuleContext, body: ActionBody): void {
  if (!usesPublicKey(body) && !hasPassword(body)) {
    ctx.refuse('HOST_PASSWORD_EMPTY', { action: 'install' });
  }
}

/** The stored SSH settings of a host: without passwords. */
export function storedSsh(sent: Host['ssh']): NonNullable<Host['ssh']> {
  const { user, authentication_method: _used, ...ssh } = sent ?? {};
  const { password: _secret, ...account } = user ?? {};
  return { port: 22, ...ssh, user: { user_name: 'root', ...account } };
}

/** A data center with local storage supports one host only. */
export function checkLocalStorage(ctx: RuleContext, host: Host): void {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const dataCenter = cluster?.data_center?.id
    ? ctx.tx.get('data_center', cluster.data_center.id)
    : undefined;
  if (!dataCenter?.local) return;
  const taken = ctx.tx
    .list('cluster', { where: { data_center_id: dataCenter.id ?? '' } })
    .some(({ id }) => ctx.tx.count('host', { where: { cluster_id: id ?? '' } }) > 0);
  if (taken) ctx.refuse('HOST_LOCAL_STORAGE_TAKEN', { action: 'add' });
}

/** A server joins a Gluster cluster through an existing server that is up. */
export function checkPeers(ctx: RuleContext, host: Host): void {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  if (!cluster?.gluster_service) return;
  const peers = ctx.tx.list('host', { where: { cluster_id: cluster.id ?? '' } });
  if (peers.length > 0 && !peers.some(({ status }) => status === 'up')) {
    ctx.refuse('NO_GLUSTER_SERVER_UP', { action: 'add', type: 'Host', cluster: cluster.name });
  }
}

/** Requires a fence agent to enable power management. */
export function checkPowerManagement(ctx: RuleContext, host: Host, action: string): void {
  if (host.power_management?.enabled !== true) return;
  // Clients of engines add fence agents after the host.
  if (action === 'add' && ctx.site.dialect.engineRefusals) return;
  const agents = ctx.tx.count('agent', { where: { collection: `/hosts/${host.id}/fenceagents` } });
  if (agents === 0) ctx.refuse('FENCING_WITHOUT_AGENT', { action });
}

/** Refuses changes that require maintenance, and changes that are never permitted. */
export function checkChange(ctx: RuleContext, before: Host, after: Host): void {
  const messageParams = { action: 'edit', status: before.status };
  const apart = reconfigurable.includes(before.status ?? '');
  const moved = [
    ...(before.address === after.address ? [] : ['address']),
    ...(before.ssh?.port === after.ssh?.port ? [] : ['ssh.port']),
    ...(before.cluster?.id === after.cluster?.id ? [] : ['cluster']),
  ];
  if (moved.length > 0 && !apart) {
    ctx.refuse('HOST_STATUS_NOT_VALID_FOR_UPDATE', {
      ...messageParams,
      attributes: moved.join(', '),
    });
  }
  if (before.address !== after.address) {
    if (before.status !== 'install_failed') ctx.refuse('HOST_ADDRESS_FIXED', messageParams);
    checkAddress(ctx, after, 'edit');
  }
  if (before.port !== after.port) ctx.refuse('HOST_PORT_NEEDS_INSTALL', messageParams);
  checkNumbers(ctx, after, 'edit');
  checkPowerManagement(ctx, after, 'edit');
  checkCluster(ctx, before, after);
}

function checkCluster(ctx: RuleContext, before: Host, after: Host): void {
  if (before.cluster?.id === after.cluster?.id) return;
  const cluster = ctx.tx.get('cluster', after.cluster?.id ?? '');
  const wanted = cluster?.cpu?.architecture ?? 'undefined';
  const own = before.cpu?.architecture ?? wanted;
  if (wanted !== 'undefined' && own !== wanted) {
    ctx.refuse('HOST_OTHER_ARCHITECTURE', { action: 'edit', cluster: cluster?.name });
  }
}

/** Storage domains on the local disks of the host. */
export function listLocalDomains(ctx: RuleContext, host: Host): Resource<'storage_domain'>[] {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const dataCenter = ctx.tx.get('data_center', cluster?.data_center?.id ?? '');
  return dataCenter?.local ? listAttachedDomains(ctx, dataCenter.id ?? '') : [];
}

/** An element of the action body; empty if it is not an object. */
export function getSentObject(body: ActionBody, name: keyof ActionBody): StoredObject {
  const value = body[name];
  return isRecord(value) ? value : {};
}
