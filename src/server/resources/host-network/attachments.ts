/** Rules of network attachments, seen from a host and from one of its interfaces. */
import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { Place } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { incomplete } from '../../core/fault.ts';
import type { StoredObject } from '../../store/document.ts';
import { type Attachment, appliedOf, attachmentsPath, toldOf } from './nics.ts';
import { changeNetworks, modify } from './setup.ts';

/** The host whose attachments a place shows. */
function hostOf(place: Place): string {
  return place.collection.split('/')[2] ?? '';
}

/** The interface that the path says, where it says one. */
function nicOf(place: Place): string | undefined {
  return place.owner?.kind === 'host_nic' ? place.owner.id : undefined;
}

export const attachmentRules = define('network_attachment', {
  attach(ctx, place, sent) {
    const nic = nicOf(place);
    const sentNic = sent['host_nic'] as { id?: string; name?: string } | undefined;
    if (!nic && !sentNic?.id && !sentNic?.name) {
      throw incomplete('NetworkAttachment', ['hostNic.id|name'], 'add');
    }
    const { id: _id, ...rest } = sent as Attachment;
    let added: Attachment | undefined;
    changeNetworks(ctx, hostOf(place), (draft) => {
      refuseSlave(ctx, hostOf(place), nic ?? sentNic?.id);
      const wanted = { ...rest, host_nic: nic ? { id: nic } : (sentNic ?? {}) };
      added = modify(draft, wanted as Attachment);
    });
    const id = added?.id ?? '';
    return ctx.tx.get('network_attachment', id, attachmentsPath(hostOf(place))) ?? { id };
  },

  remove(ctx, { object, place }) {
    changeNetworks(ctx, hostOf(place), (draft) => draft.detach(object));
  },

  replace(ctx, { object, place }, sent) {
    changeNetworks(ctx, hostOf(place), (draft) => {
      modify(draft, { ...(sent as Attachment), id: object.id ?? '' });
    });
    const id = object.id ?? '';
    return ctx.tx.get('network_attachment', id, attachmentsPath(hostOf(place))) ?? object;
  },

  present(ctx, attachment) {
    const network = ctx.tx.get('network', attachment.network?.id ?? '');
    return {
      ip_address_assignments: assignmentsOf(attachment),
      ...(network ? (reportOf(attachment, network) as StoredObject) : {}),
    };
  },
});

/** Networks come on physical interfaces and bonds. */
function refuseSlave(ctx: RuleContext, host: string, nic: string | undefined): void {
  if (!nic) return;
  const nics = ctx.tx.list('host_nic', { where: { collection: `/hosts/${host}/nics` } });
  const own = nics.find(({ id }) => id === nic);
  const slave = nics.some(({ bonding }) => bonding?.slaves?.some(({ id }) => id === nic));
  if (slave || own?.base_interface !== undefined) {
    ctx.refuse('ATTACHMENT_ON_SLAVE_OR_VLAN', { action: 'add', nic: own?.name });
  }
}

/** How the host gets its addresses: each assignment says of which version it is. */
function assignmentsOf(attachment: Attachment): Attachment['ip_address_assignments'] {
  const assignments = attachment.ip_address_assignments ?? [{ assignment_method: 'none' }];
  return assignments.map((one) => ({ ...one, ip: { version: 'v4', ...one.ip } }));
}

/** How the network is on the host, beside how it is defined. */
function reportOf(attachment: Attachment, network: Resource<'network'>): Partial<Attachment> {
  const expected = appliedOf(network);
  const actual = toldOf(attachment) ?? expected;
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
