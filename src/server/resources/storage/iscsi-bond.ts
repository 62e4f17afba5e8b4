/** Rules of iSCSI bonds: networks of a data center over which storage connections go. */
import type { Resource } from '../../../model/resource.ts';
import { define } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';

type Bond = Resource<'iscsi_bond'>;

export const iscsiBondRules = define('iscsi_bond', {
  events: { add: 'ISCSI_BOND_ADDED', update: 'ISCSI_BOND_UPDATED', remove: 'ISCSI_BOND_REMOVED' },

  beforeCreate(ctx, bond, place) {
    bond.data_center = { id: place.owner?.id ?? '' };
    bond.networks ??= [];
    bond.storage_connections ??= [];
    check(ctx, bond, 'add');
  },

  onMembershipChange(ctx, _before, after) {
    check(ctx, after, 'edit');
    ctx.event('ISCSI_BOND_UPDATED', { data_center: after.data_center }, { ObjectName: after.name });
  },

  /** Both lists show as links. */
  present: () => ({ networks: undefined, storage_connections: undefined }),
});

/** Refuses networks of other data centers, and connections that are not iSCSI. */
function check(ctx: RuleContext, bond: Bond, action: string): void {
  const { networks = [], storage_connections: connections = [] } = bond;
  for (const { id = '' } of networks) {
    const network = ctx.tx.get('network', id);
    if (network?.data_center?.id !== bond.data_center?.id) {
      ctx.refuse('BOND_MEMBER_ILLEGAL', {
        action,
        member: `network ${network?.name ?? id}`,
        reason: 'it belongs to another data center',
      });
    }
  }
  for (const { id = '' } of connections) {
    const connection = ctx.tx.get('storage_connection', id);
    if (connection?.type !== 'iscsi') {
      ctx.refuse('BOND_MEMBER_ILLEGAL', {
        action,
        member: `storage connection ${id}`,
        reason: `it is of type ${connection?.type}, not iscsi`,
      });
    }
  }
}
