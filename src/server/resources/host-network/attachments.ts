/** Network attachments and network labels of hosts. */
import type { EventName } from '../../../model/events.ts';
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import {
  type Attachment,
  attachmentsPath,
  getAppliedSettings,
  getReportedSettings,
  refreshNics,
} from '../../inventory/host-nics.ts';
import { requireSelection } from './host-nic.ts';
import { changeNetworks, modifyAttachment } from './setup.ts';

const pattern = /^[A-Za-z0-9_-]{1,50}$/;

/** Whether the collection contains the labels that virtual functions may use. */
function isForFunctions(ref: CollectionRef): boolean {
  return ref.service.includes('virtualfunctionallowedlabels');
}

function readHostId(ref: CollectionRef): string {
  return ref.collection.split('/')[2] ?? '';
}

export const labelBehavior = defineBehavior('network_label', {
  attach(ctx, ref, sent) {
    const id = String(sent['id']);
    const owner = ref.owner?.id ?? '';
    if (!pattern.test(id)) ctx.refuse('NETWORK_LABEL_INVALID', { action: 'add', label: id });
    if (ref.owner?.kind === 'network') {
      const [other] = ctx.tx.list('network_label', { where: { collection: ref.collection } });
      if (other) ctx.refuse('NETWORK_ALREADY_LABELED', { action: 'add', label: other.id });
      const label = { id, network: { id: owner } };
      ctx.tx.insert('network_label', ref.collection, label);
      ctx.event(
        'NETWORK_LABELED',
        {},
        { NetworkName: ctx.tx.get('network', owner)?.name, Label: id },
      );
      followLabel(ctx, id, owner);
      return label;
    }
    const label = { id, host_nic: { id: owner } };
    if (isForFunctions(ref)) {
      requireSelection(ctx, ref);
      if (ctx.tx.get('network_label', id, ref.collection)) {
        ctx.refuse('NIC_ALREADY_LABELED', { action: 'add', label: id, nic: owner });
      }
      ctx.tx.insert('network_label', ref.collection, label);
      writeFunctionsEvent(ctx, 'VIRTUAL_FUNCTIONS_LABEL_ADDED', ref, id);
      return label;
    }
    changeNetworks(ctx, readHostId(ref), (draft) => draft.label(id, { id: owner }));
    return label;
  },

  remove(ctx, { object, ref }) {
    const id = object.id ?? '';
    if (ref.owner?.kind === 'network') {
      const network = ref.owner.id;
      ctx.tx.remove('network_label', id, ref.collection);
      ctx.event(
        'NETWORK_UNLABELED',
        {},
        { NetworkName: ctx.tx.get('network', network)?.name, Label: id },
      );
      dropLabeled(ctx, id, network);
      return;
    }
    if (isForFunctions(ref)) {
      ctx.tx.remove('network_label', id, ref.collection);
      writeFunctionsEvent(ctx, 'VIRTUAL_FUNCTIONS_LABEL_REMOVED', ref, id);
      return;
    }
    changeNetworks(ctx, readHostId(ref), (draft) => draft.unlabel(id));
  },
});

/** Writes an event about the permitted labels of the virtual functions of an interface. */
function writeFunctionsEvent(
  ctx: RuleContext,
  event: EventName,
  ref: CollectionRef,
  label: string,
): void {
  const nic = ctx.tx.get('host_nic', ref.owner?.id ?? '');
  ctx.event(event, { host: nic?.host }, { Label: label, HostNicName: nic?.name });
}

/** Hosts with an interface that has the label, and that interface. */
function listLabeled(ctx: RuleContext, label: string): { host: string; nic: string }[] {
  return ctx.tx
    .list('network_label', { where: { id: label } })
    .flatMap(({ host_nic }) => (host_nic?.id ? [host_nic.id] : []))
    .flatMap((nic) => {
      const path = ctx.tx.findCollection('host_nic', nic);
      const host = path?.split('/')[2];
      const own = host && ctx.tx.get('network_label', label, `${path}/${nic}/networklabels`);
      return own && host ? [{ host, nic }] : [];
    });
}

const reachable = new Set(['up', 'maintenance', 'non_operational']);

/**
 * Attaches a network to all interfaces with its label, after the network got a label or joined a
 * cluster.
 */
export function followLabel(ctx: RuleContext, label: string, network: string): void {
  for (const { host, nic } of listLabeled(ctx, label)) {
    const found = ctx.tx.get('host', host);
    const path = `/clusters/${found?.cluster?.id}/networks`;
    if (!reachable.has(found?.status ?? '') || !ctx.tx.get('cluster_network', network, path)) {
      continue;
    }
    changeNetworks(ctx, host, (draft) => {
      const known = [...draft.attachments.values()].some((one) => one.network?.id === network);
      if (!known) draft.attach({ network: { id: network }, host_nic: { id: nic } }, (one) => one);
    });
  }
}

/**
 * Detaches a network from interfaces that had it by label, after the network lost its label or
 * cluster.
 */
export function dropLabeled(
  ctx: RuleContext,
  label: string,
  network: string,
  cluster?: string,
): void {
  for (const { host, nic } of listLabeled(ctx, label)) {
    if (cluster !== undefined && ctx.tx.get('host', host)?.cluster?.id !== cluster) continue;
    for (const one of ctx.tx.list('network_attachment', { where: { network_id: network } })) {
      if (one.host?.id !== host || one.host_nic?.id !== nic) continue;
      ctx.tx.remove('network_attachment', one.id ?? '', `/hosts/${host}/networkattachments`);
    }
    refreshNics(ctx, host);
  }
}

/** The label of a network, if it has one. */
export function findNetworkLabel(ctx: RuleContext, network: string): string | undefined {
  const where = { collection: `/networks/${network}/networklabels` };
  return ctx.tx.list('network_label', { where, limit: 1 })[0]?.id;
}

/** Id of the interface in the path, if it contains one. */
function readNicId(ref: CollectionRef): string | undefined {
  return ref.owner?.kind === 'host_nic' ? ref.owner.id : undefined;
}

export const attachmentBehavior = defineBehavior('network_attachment', {
  attach(ctx, ref, sent) {
    const nic = readNicId(ref);
    const sentNic = sent['host_nic'];
    if (!nic && !sentNic?.id && !sentNic?.name) {
      throw incomplete('NetworkAttachment', ['hostNic.id|name'], 'add');
    }
    const { id: _id, ...rest } = sent;
    let added: Attachment | undefined;
    changeNetworks(ctx, readHostId(ref), (draft) => {
      refuseSlave(ctx, readHostId(ref), nic ?? sentNic?.id);
      const wanted = { ...rest, host_nic: nic ? { id: nic } : (sentNic ?? {}) };
      added = modifyAttachment(draft, wanted);
    });
    const id = added?.id ?? '';
    return ctx.tx.get('network_attachment', id, attachmentsPath(readHostId(ref))) ?? { id };
  },

  remove(ctx, { object, ref }) {
    changeNetworks(ctx, readHostId(ref), (draft) => draft.detach(object));
  },

  replace(ctx, { object, ref }, sent) {
    changeNetworks(ctx, readHostId(ref), (draft) => {
      modifyAttachment(draft, { ...sent, id: object.id ?? '' });
    });
    const id = object.id ?? '';
    return ctx.tx.get('network_attachment', id, attachmentsPath(readHostId(ref))) ?? object;
  },

  present(ctx, attachment) {
    const network = ctx.tx.get('network', attachment.network?.id ?? '');
    return {
      ip_address_assignments: completeAssignments(attachment),
      ...(network ? presentReport(attachment, network) : {}),
    };
  },
});

/** Only physical interfaces and bonds can have networks, not bond slaves. */
function refuseSlave(ctx: RuleContext, host: string, nic: string | undefined): void {
  if (!nic) return;
  const nics = ctx.tx.list('host_nic', { where: { collection: `/hosts/${host}/nics` } });
  const own = nics.find(({ id }) => id === nic);
  const slave = nics.some(({ bonding }) => bonding?.slaves?.some(({ id }) => id === nic));
  if (slave || own?.base_interface !== undefined) {
    ctx.refuse('ATTACHMENT_ON_SLAVE_OR_VLAN', { action: 'add', nic: own?.name });
  }
}

/** Address assignments of the host, each with its IP version. */
function completeAssignments(attachment: Attachment): Attachment['ip_address_assignments'] {
  const assignments = attachment.ip_address_assignments ?? [{ assignment_method: 'none' }];
  return assignments.map((one) => ({ ...one, ip: { version: 'v4', ...one.ip } }));
}

/**
 * The reported configuration of the network on the host, and its differences from the definition.
 */
function presentReport(attachment: Attachment, network: Resource<'network'>): Partial<Attachment> {
  const expected = getAppliedSettings(network);
  const actual = getReportedSettings(attachment) ?? expected;
  const reported = (['mtu', 'vlan', 'bridged'] as const).flatMap((name) => {
    const values = [expected[name], actual[name]];
    if (values.every((value) => value === undefined)) return [];
    return [
      {
        name,
        expected_value: String(values[0] ?? ''),
        actual_value: String(values[1] ?? ''),
        in_sync: values[0] === values[1],
      },
    ];
  });
  return {
    in_sync: reported.every(({ in_sync }) => in_sync),
    reported_configurations: reported,
  };
}
