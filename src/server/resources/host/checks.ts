/** Checks of the settings of a host, when it is added and when it is updated. */

import type { ActionBody, Resource } from '../../../model/resource.ts';
import { reconfigurable } from '../../../model/resources/host.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import { domainsOf } from '../../inventory/data-center.ts';
import { isRecord, type StoredObject, valueAt } from '../../store/kinds.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Host = ObjectOf<'host'>;

const hostName =
  /^(?=.{1,255}$)[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?)*\.?$/;
const ipv6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/;

/** Refuses an address that cannot be one, or that another host has. */
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

/** Refuses ports and priorities that do not exist. */
export function checkNumbers(ctx: RuleContext, host: Host, action: string): void {
  checkRange(ctx, action, 'ssh.port', host.ssh?.port, [1, 65_535]);
  checkRange(ctx, action, 'port', host.port, [1, 65_535]);
  checkRange(ctx, action, 'spm.priority', host.spm?.priority, [-1, 10]);
}

/** Whether what was sent names a way to sign in that needs no password. */
function usesPublicKey(sent: StoredObject): boolean {
  return valueAt(sent, ['ssh', 'authentication_method']) === 'publickey';
}

function hasPassword(sent: StoredObject): boolean {
  const passwords = [sent['root_password'], valueAt(sent, ['ssh', 'user', 'password'])];
  return passwords.some((password) => typeof password === 'string' && password !== '');
}

/** The first installation needs a password, or a public key. */
export function requireSignIn(sent: StoredObject): void {
  if (!usesPublicKey(sent) && !hasPassword(sent)) {
    throw incomplete('Host', ['rootPassword'], 'add');
  }
}

/** Installing again needs a password, or a public key; approval takes the key by default. */
export function requireSignInAgain(ctx: RuleContext, body: ActionBody): void {
  if (!usesPublicKey(body) && !hasPassword(body)) {
    ctx.refuse('HOST_PASSWORD_EMPTY', { action: 'install' });
  }
}

/** The connection of a host as it is kept: without passwords. */
export function sshOf(sent: Host['ssh']): NonNullable<Host['ssh']> {
  const { user, authentication_method: _used, ...ssh } = sent ?? {};
  const { password: _secret, ...account } = user ?? {};
  return { port: 22, ...ssh, user: { user_name: 'root', ...account } };
}

/** A data center with local storage has room for one host. */
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

/** A server joins others of a Gluster cluster through one that is up. */
export function checkPeers(ctx: RuleContext, host: Host): void {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  if (!cluster?.gluster_service) return;
  const peers = ctx.tx.list('host', { where: { cluster_id: cluster.id ?? '' } });
  if (peers.length > 0 && !peers.some(({ status }) => status === 'up')) {
    ctx.refuse('NO_GLUSTER_SERVER_UP', { action: 'add', type: 'Host', cluster: cluster.name });
  }
}

/** Power management without an agent could not do anything. */
export function checkPowerManagement(ctx: RuleContext, host: Host, action: string): void {
  if (host.power_management?.enabled !== true) return;
  // Engines add such a host, and its agents afterwards.
  if (action === 'add' && ctx.site.dialect.engineRefusals) return;
  const agents = ctx.tx.count('agent', { where: { collection: `/hosts/${host.id}/fenceagents` } });
  if (agents === 0) ctx.refuse('FENCING_WITHOUT_AGENT', { action });
}

/** What changes only while the host is out of service, or never. */
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

/** Storage domains that exist on the disks of the host alone. */
export function localDomains(ctx: RuleContext, host: Host): Resource<'storage_domain'>[] {
  const cluster = ctx.tx.get('cluster', host.cluster?.id ?? '');
  const dataCenter = ctx.tx.get('data_center', cluster?.data_center?.id ?? '');
  return dataCenter?.local ? domainsOf(ctx, dataCenter.id ?? '') : [];
}

/** Whether something that was sent is an object. */
export function sentObject(body: ActionBody, name: keyof ActionBody): StoredObject {
  const value = body[name];
  return isRecord(value) ? value : {};
}
