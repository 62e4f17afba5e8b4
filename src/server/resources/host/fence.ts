/** Fencing: power management of hosts through fence agents, and manual confirmation. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import { getActionLabel } from '../../core/action-label.ts';
import { type ActionResult, defineBehavior, type LocatedObject } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { requireState } from '../../core/transitions.ts';
import type { ObjectOf } from '../../store/transaction.ts';
import { findFenceProxy, freeVms } from './non-responsive.ts';
import { restartPower, startHostTransition } from './transitions.ts';

type Host = ObjectOf<'host'>;
type Agent = Resource<'agent'>;

const types = ['manual', 'restart', 'start', 'status', 'stop'] as const;

/** Minimum seconds between two fence operations of a host, at normal speed. */
const quietSeconds = 180;

/** Fences a host. `status` returns whether its power is on. */
export function fence(
  ctx: RuleContext,
  target: LocatedObject<'host'>,
  body: ActionBody,
): ActionResult {
  const sent = String(body['fence_type']).toLowerCase();
  const type = types.find((one) => one === sent);
  if (!type) {
    throw new Refusal(
      400,
      'Invalid value',
      `${sent} is not a member of FenceType. Possible values for FenceType are: ${types.join(', ')}`,
    );
  }
  const host = target.object;
  if (type === 'manual') return confirmRebooted(ctx, host);
  requireAgent(ctx, host, type);
  if (type === 'status') {
    const status = host.status === 'down' ? 'off' : 'on';
    ctx.event('HOST_FENCE_STATUS', { host }, { PowerStatus: status });
    return { power_management: { status } };
  }
  const action = getActionLabel(type);
  requireState(ctx, 'host', host, `fence_${type}`, { action });
  requireQuiet(ctx, host, action);
  const noted = { ...host, fenced_at: ctx.steady };
  if (type === 'restart') {
    const rests = body['maintenance_after_restart'] === true;
    ctx.event('HOST_RESTARTED', { host });
    restartPower(ctx, noted, rests ? { to: 'maintenance' } : {});
    return undefined;
  }
  ctx.event('FENCING_STARTED', { host }, { FenceType: type });
  ctx.event(type === 'start' ? 'HOST_FENCED_ON' : 'HOST_FENCED_OFF', { host });
  if (type === 'start') {
    ctx.tx.update('host', { ...noted, status: 'reboot' });
    freeVms(ctx, noted);
    const now = ctx.tx.get('host', host.id ?? '') ?? noted;
    return startHostTransition(ctx, { object: now }, 'fence_start');
  }
  startHostTransition(ctx, { object: noted }, 'fence_stop');
  ctx.event('FENCING_SUCCEEDED', { host }, { FenceType: type });
  return undefined;
}

/** Records the confirmation that a host was switched off: its VMs are down. */
function confirmRebooted(ctx: RuleContext, host: Host): undefined {
  const action = 'fence';
  requireState(ctx, 'host', host, 'fence_manual', { action });
  ctx.event('HOST_MANUAL_FENCE', { host });
  freeVms(ctx, host);
  return undefined;
}

function requireAgent(ctx: RuleContext, host: Host, type: string): void {
  const action = getActionLabel(type);
  const agents = ctx.tx.count('agent', { where: { collection: formatCollection(host) } });
  if (host.power_management?.enabled !== true || agents === 0) {
    ctx.refuse('FENCING_DISABLED', { action });
  }
  if (!findFenceProxy(ctx, host)) ctx.refuse('FENCING_WITHOUT_PROXY', { action });
}

function requireQuiet(ctx: RuleContext, host: Host, action: string): void {
  const last = host.fenced_at;
  const seconds = Math.round(quietSeconds * ctx.site.speed);
  if (typeof last === 'number' && ctx.steady < last + seconds * 1000) {
    ctx.refuse('FENCING_TOO_SOON', { action, seconds });
  }
}

function formatCollection(host: Host): string {
  return `/hosts/${host.id}/fenceagents`;
}

/** Types of fence agents that hosts support. */
const agentTypes = [
  'amt_ws',
  'apc',
  'apc_snmp',
  'bladecenter',
  'cisco_ucs',
  'drac5',
  'drac7',
  'eps',
  'hpblade',
  'ilo',
  'ilo2',
  'ilo3',
  'ilo4',
  'ilo_ssh',
  'ipmilan',
  'redfish',
  'rsa',
  'rsb',
  'wti',
];

export const agentBehavior = defineBehavior('agent', {
  events: { add: 'HOST_UPDATED', update: 'HOST_UPDATED', remove: 'HOST_UPDATED' },

  beforeCreate(ctx, agent, ref) {
    checkAgent(ctx, agent, 'add');
    agent.encrypt_options ??= false;
    if (ctx.site.dialect.engineAnswers && agent.options && agent.port !== undefined) {
      agent.options = [{ name: 'port', value: String(agent.port) }, ...agent.options];
    }
    shareOrder(ctx, agent, ref);
  },

  beforeUpdate(ctx, _before, after, ref) {
    checkAgent(ctx, after, 'edit');
    shareOrder(ctx, after, ref);
  },

  beforeDelete(ctx, { ref }) {
    const host = ctx.tx.get('host', ref.owner?.id ?? '');
    const last = ctx.tx.count('agent', { where: { collection: ref.collection } }) === 1;
    if (last && host?.power_management?.enabled) {
      ctx.refuse('FENCE_AGENT_LAST', { action: 'remove' });
    }
  },
});

function checkAgent(ctx: RuleContext, agent: Agent, action: string): void {
  if (!agentTypes.includes(agent.type ?? '')) {
    ctx.refuse('FENCE_AGENT_UNKNOWN', {
      action,
      agent: agent.type,
      allowed: agentTypes.join(', '),
    });
  }
  const { port } = agent;
  if (port !== undefined && (port < 1 || port > 65_535)) {
    ctx.refuse('VALUE_OUT_OF_RANGE', {
      action,
      type: 'fence agent',
      attribute: 'port',
      value: port,
      min: 1,
      max: 65_535,
    });
  }
}

/** Agents with the same order run concurrently. */
function shareOrder(ctx: RuleContext, agent: Agent, ref: CollectionRef): void {
  if (agent.concurrent !== undefined) return;
  agent.concurrent = ctx.tx
    .list('agent', { where: { collection: ref.collection } })
    .some((other) => other.id !== agent.id && other.order === agent.order);
}
