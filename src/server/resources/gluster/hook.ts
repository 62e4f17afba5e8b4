/** Gluster hooks: scripts that the servers of a cluster run around commands. */

import type { EventName } from '../../../model/events.ts';
import type { ActionBody } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { resolveMember } from '../../core/input.ts';
import { digestOf, namedId } from '../../core/random.ts';
import { requireServers } from '../../inventory/gluster-layout.ts';
import { isRecord, type StoredObject } from '../../store/kinds.ts';
import type { KeptHook } from '../../store/stored-members.ts';
import type { ObjectOf } from '../../store/transaction.ts';

type Hook = ObjectOf<'gluster_hook'>;
type Host = ObjectOf<'host'>;

const type = 'Gluster Hook';

/** Hooks that come with Gluster: command, stage, name. */
const scripts = [
  ['add-brick', 'post', 'S28Quota-enable-root-xattr-heal.sh'],
  ['create', 'post', 'S10selinux-label-brick.sh'],
  ['set', 'post', 'S30samba-set.sh'],
  ['start', 'post', 'S29CTDBsetup.sh'],
  ['start', 'post', 'S30samba-start.sh'],
  ['stop', 'pre', 'S30samba-stop.sh'],
] as const;

/** Differs on the servers of a new cluster that were not the first. */
const differing = 'S29CTDBsetup.sh';
/** Is not there on them. */
const lacking = 'S30samba-stop.sh';

function contentOf(name: string, variant: string): string {
  return `#!/bin/bash\n# ${name}\n${variant === '' ? '' : `# as on ${variant}\n`}exit 0\n`;
}

function checksumOf(content: string): string {
  return digestOf(content).toString('hex');
}

function pathOf(cluster: string): string {
  return `/clusters/${cluster}/glusterhooks`;
}

/** Servers of a cluster, in the order in which they came to it. */
function serversOf(ctx: RuleContext, cluster: string): Host[] {
  return ctx.tx
    .list('host', { where: { cluster_id: cluster } })
    .filter(({ hardware_information: found }) => found !== undefined);
}

function keptOf(ctx: RuleContext, cluster: string, id: string): KeptHook {
  return ctx.tx.get('gluster_hook', id, pathOf(cluster))?.kept ?? {};
}

function keep(ctx: RuleContext, hook: Hook, changes: KeptHook): void {
  const cluster = hook.cluster?.id ?? '';
  const id = hook.id ?? '';
  const kept = { ...keptOf(ctx, cluster, id), ...changes };
  ctx.tx.remove('gluster_hook', id, pathOf(cluster));
  const stored: StoredObject = { id, name: hook.name, cluster: { id: cluster }, kept };
  ctx.tx.insert('gluster_hook', pathOf(cluster), stored);
}

/** The hooks of a cluster, as its servers have them. */
function hooksOf(ctx: RuleContext, cluster: string): Hook[] {
  const servers = serversOf(ctx, cluster);
  if (!ctx.tx.get('cluster', cluster)?.gluster_service || servers.length === 0) return [];
  return scripts.flatMap(([command, stage, name]) => {
    const id = namedId(cluster, command, stage, name);
    const kept = keptOf(ctx, cluster, id);
    if (kept.removed) return [];
    const status = kept.status ?? 'enabled';
    const found = servers.map((host, index) => {
      const other = index > 0 && name === differing && kept.textOf === undefined;
      const missing = index > 0 && name === lacking && !kept.everywhere;
      const text = contentOf(name, other ? (host.name ?? '') : (kept.textOf ?? ''));
      return { host, missing, checksum: checksumOf(text) };
    });
    const own = contentOf(name, kept.textOf ?? '');
    const conflicts = [
      ...(found.some(({ missing }) => missing) ? ['MISSING_HOOK'] : []),
      ...(found.some((one) => !one.missing && one.checksum !== checksumOf(own))
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
        checksum: checksumOf(own),
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

/** Refuses unless all servers of the cluster are up: each must take the change. */
function requireAllUp(ctx: RuleContext, hook: Hook, action: string): void {
  const cluster = hook.cluster?.id ?? '';
  requireServers(ctx, cluster, action, type);
  const off = serversOf(ctx, cluster).filter(({ status }) => status !== 'up');
  if (off.length === 0) return;
  const names = off.map(({ name }) => name).join(', ');
  ctx.refuse('GLUSTER_SERVERS_NOT_UP', { action, type, names });
}

function tell(ctx: RuleContext, event: EventName, hook: Hook): void {
  const cluster = ctx.tx.get('cluster', hook.cluster?.id ?? '');
  ctx.event(event, { cluster }, { HookName: hook.name });
}

export const glusterHookBehavior = define('gluster_hook', {
  compute: (ctx, ref) => hooksOf(ctx, ref.owner?.id ?? ''),

  remove(ctx, { object }) {
    requireAllUp(ctx, object, 'remove');
    keep(ctx, object, { removed: true });
    tell(ctx, 'HOOK_REMOVED', object);
  },

  actions: {
    enable(ctx, { object }) {
      requireAllUp(ctx, object, 'enable');
      keep(ctx, object, { status: 'enabled' });
      tell(ctx, 'HOOK_ENABLED', object);
      return undefined;
    },

    disable(ctx, { object }) {
      requireAllUp(ctx, object, 'disable');
      keep(ctx, object, { status: 'disabled' });
      tell(ctx, 'HOOK_DISABLED', object);
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
      else keep(ctx, object, { textOf: sourceOf(ctx, object, body, action) });
      tell(ctx, how === 'add' ? 'HOOK_ADDED' : 'HOOK_UPDATED', object);
      return undefined;
    },
  },
});

/** Name of the server whose text is copied; without one, the service's own is. */
function sourceOf(ctx: RuleContext, hook: Hook, body: ActionBody, action: string): string {
  const sent = body['host'];
  if (!isRecord(sent) || (sent['id'] === undefined && sent['name'] === undefined)) return '';
  const servers = serversOf(ctx, hook.cluster?.id ?? '');
  const id = resolveMember(ctx.tx, 'host', sent);
  const index = servers.findIndex((host) => host.id === id);
  if (index < 0) {
    ctx.refuse('HOOK_NOT_ON_HOST', { action, type, name: ctx.tx.get('host', id)?.name });
  }
  return index === 0 ? '' : (servers[index]?.name ?? '');
}
