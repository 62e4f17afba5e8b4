/** Gluster hooks: scripts that the servers of a cluster run before and after commands. */

import type { EventName } from '../../../model/events.ts';
import type { ActionBody } from '../../../model/resource.ts';
import { isRecord } from '../../../records.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { resolveMember } from '../../core/input.ts';
import { digestParts, namedId } from '../../core/random.ts';
import { requireServers } from '../../inventory/gluster-layout.ts';
import type { StoredObject } from '../../store/kinds.ts';
import type { StoredHookState } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Hook = ObjectOf<'gluster_hook'>;
type Host = ObjectOf<'host'>;

const type = 'Gluster Hook';

/** Hooks that Gluster installs: command, stage, name. */
const scripts = [
  ['add-brick', 'post', 'S28Quota-enable-root-xattr-heal.sh'],
  ['create', 'post', 'S10selinux-label-brick.sh'],
  ['set', 'post', 'S30samba-set.sh'],
  ['start', 'post', 'S29CTDBsetup.sh'],
  ['start', 'post', 'S30samba-start.sh'],
  ['stop', 'pre', 'S30samba-stop.sh'],
] as const;

/** Hook whose content on later servers of a new cluster differs from the first one. */
const differing = 'S29CTDBsetup.sh';
/** Hook that those servers lack. */
const lacking = 'S30samba-stop.sh';

function createContent(name: string, variant: string): string {
  return `#!/bin/bash\n# ${name}\n${variant === '' ? '' : `# as on ${variant}\n`}exit 0\n`;
}

function computeChecksum(content: string): string {
  return digestParts(content).toString('hex');
}

function formatPath(cluster: string): string {
  return `/clusters/${cluster}/glusterhooks`;
}

/** Servers of a cluster, in the order of their installation. */
function listServers(ctx: RuleContext, cluster: string): Host[] {
  return ctx.tx
    .list('host', { where: { cluster_id: cluster } })
    .filter(({ hardware_information: found }) => found !== undefined);
}

function findStoredHook(ctx: RuleContext, cluster: string, id: string): StoredHookState {
  return ctx.tx.get('gluster_hook', id, formatPath(cluster))?.kept ?? {};
}

function keep(ctx: RuleContext, hook: Hook, changes: StoredHookState): void {
  const cluster = hook.cluster?.id ?? '';
  const id = hook.id ?? '';
  const kept = { ...findStoredHook(ctx, cluster, id), ...changes };
  ctx.tx.remove('gluster_hook', id, formatPath(cluster));
  const stored: StoredObject = { id, name: hook.name, cluster: { id: cluster }, kept };
  ctx.tx.insert('gluster_hook', formatPath(cluster), stored);
}

/** The hooks of a cluster, with their state on its servers. */
function listHooks(ctx: RuleContext, cluster: string): Hook[] {
  const servers = listServers(ctx, cluster);
  if (!ctx.tx.get('cluster', cluster)?.gluster_service || servers.length === 0) return [];
  return scripts.flatMap(([command, stage, name]) => {
    const id = namedId(cluster, command, stage, name);
    const kept = findStoredHook(ctx, cluster, id);
    if (kept.removed) return [];
    const status = kept.status ?? 'enabled';
    const found = servers.map((host, index) => {
      const other = index > 0 && name === differing && kept.textOf === undefined;
      const missing = index > 0 && name === lacking && !kept.everywhere;
      const text = createContent(name, other ? (host.name ?? '') : (kept.textOf ?? ''));
      return { host, missing, checksum: computeChecksum(text) };
    });
    const own = createContent(name, kept.textOf ?? '');
    const conflicts = [
      ...(found.some(({ missing }) => missing) ? ['MISSING_HOOK'] : []),
      ...(found.some((one) => !one.missing && one.checksum !== computeChecksum(own))
        ? ['CONTENT_CONFLICT']
        : []),
    ];
    return [
      {
        id,
        name,
        gluster_command: command,
        stage,
        status,
        content_type: 'text' as const,
        content: own,
        checksum: computeChecksum(own),
        conflict_status:
          (conflicts.includes('CONTENT_CONFLICT') ? 1 : 0) +
          (conflicts.includes('MISSING_HOOK') ? 4 : 0),
        conflicts: conflicts.join(','),
        cluster: { id: cluster },
        server_hooks: found.map(({ host, missing, checksum }) => ({
          id: namedId(id, host.id ?? ''),
          host: { id: host.id ?? '' },
          content_type: 'text' as const,
          status: missing ? ('missing' as const) : status,
          ...(missing ? {} : { checksum }),
        })),
      },
    ];
  });
}

/** Refuses unless all servers of the cluster are up: each must apply the change. */
function requireAllUp(ctx: RuleContext, hook: Hook, action: string): void {
  const cluster = hook.cluster?.id ?? '';
  requireServers(ctx, cluster, action, type);
  const off = listServers(ctx, cluster).filter(({ status }) => status !== 'up');
  if (off.length === 0) return;
  const names = off.map(({ name }) => name).join(', ');
  ctx.refuse('GLUSTER_SERVERS_NOT_UP', { action, type, names });
}

function writeHookEvent(ctx: RuleContext, event: EventName, hook: Hook): void {
  const cluster = ctx.tx.get('cluster', hook.cluster?.id ?? '');
  ctx.event(event, { cluster }, { HookName: hook.name });
}

export const glusterHookBehavior = defineBehavior('gluster_hook', {
  compute: (ctx, ref) => listHooks(ctx, ref.owner?.id ?? ''),

  remove(ctx, { object }) {
    requireAllUp(ctx, object, 'remove');
    keep(ctx, object, { removed: true });
    writeHookEvent(ctx, 'HOOK_REMOVED', object);
  },

  actions: {
    enable(ctx, { object }) {
      requireAllUp(ctx, object, 'enable');
      keep(ctx, object, { status: 'enabled' });
      writeHookEvent(ctx, 'HOOK_ENABLED', object);
      return undefined;
    },

    disable(ctx, { object }) {
      requireAllUp(ctx, object, 'disable');
      keep(ctx, object, { status: 'disabled' });
      writeHookEvent(ctx, 'HOOK_DISABLED', object);
      return undefined;
    },

    resolve(ctx, { object }, body) {
      const action = 'resolve the conflicts of';
      const how = String(body['resolution_type']).toLowerCase();
      if (how !== 'add' && how !== 'copy') {
        throw new Refusal(
          400,
          'Invalid value',
          `${how} is not a member of ResolutionType. Possible values for ResolutionType are: add, copy`,
        );
      }
      const wanted = how === 'add' ? 'MISSING_HOOK' : 'CONTENT_CONFLICT';
      if (!object.conflicts?.split(',').includes(wanted)) {
        ctx.refuse('HOOK_WITHOUT_CONFLICT', { action, type });
      }
      requireAllUp(ctx, object, action);
      if (how === 'add') keep(ctx, object, { everywhere: true });
      else keep(ctx, object, { textOf: resolveSource(ctx, object, body, action) });
      writeHookEvent(ctx, how === 'add' ? 'HOOK_ADDED' : 'HOOK_UPDATED', object);
      return undefined;
    },
  },
});

/** Name of the server whose content is copied; empty for the content of the service. */
function resolveSource(ctx: RuleContext, hook: Hook, body: ActionBody, action: string): string {
  const sent = body['host'];
  if (!isRecord(sent) || (sent['id'] === undefined && sent['name'] === undefined)) return '';
  const servers = listServers(ctx, hook.cluster?.id ?? '');
  const id = resolveMember(ctx.tx, 'host', sent);
  const index = servers.findIndex((host) => host.id === id);
  if (index < 0) {
    ctx.refuse('HOOK_NOT_ON_HOST', { action, type, name: ctx.tx.get('host', id)?.name });
  }
  return index === 0 ? '' : (servers[index]?.name ?? '');
}
