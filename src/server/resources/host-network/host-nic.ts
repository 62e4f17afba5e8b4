/** Behavior of host interfaces: virtual functions, their permitted networks, LLDP. */
import type { Resource } from '../../../model/resource.ts';
import { defineBehavior } from '../../core/behavior.ts';
import type { CollectionRef } from '../../core/collection-ref.ts';
import type { RuleContext } from '../../core/context.ts';
import { Refusal } from '../../core/fault.ts';
import { resolveMember } from '../../core/input.ts';
import { digestParts } from '../../core/random.ts';
import {
  addNic,
  listHostNics,
  listNetworkAttachments,
  type Nic,
  nicsPath,
} from '../../inventory/host-nics.ts';

/** Collections and actions of interfaces that support virtual functions. */
const functionRelations = [
  'virtualfunctionallowedlabels',
  'virtualfunctionallowednetworks',
  'updatevirtualfunctionsconfiguration',
];

/** Bond modes for which engines add a `type` to the option, by number and by name. */
const bondModes = [
  ['1', 'active-backup', 'Active-Backup'],
  ['2', 'balance-xor', 'Load balance (balance-xor)'],
  ['4', '802.3ad', 'Dynamic link aggregation (802.3ad)'],
  ['5', 'balance-tlb', 'Adaptive transmit load balancing (balance-tlb)'],
] as const;

/** Bonds as engines show them: the mode with its type, and the partner of an 802.3ad bond. */
function showBond({ bonding }: Nic): Partial<Nic> {
  const options = bonding?.options ?? [];
  const mode = options.find(({ name }) => name === 'mode')?.value ?? '';
  const [number, , type] = bondModes.find((one) => one[0] === mode || one[1] === mode) ?? [];
  if (type === undefined) return {};
  const typed = options.map((one) => (one.name === 'mode' ? { type, ...one } : one));
  const shown = { ...bonding, options: typed };
  if (number !== '4') return { bonding: shown };
  const partner = { ad_partner_mac: { address: '00:00:00:00:00:00' } };
  return { ad_aggregator_id: 1, bonding: { ...shown, ...partner } };
}

/** Attributes that depend on the type of the interface. A VLAN device has no MAC address. */
function asEnginesShow(nic: Nic) {
  const { network, base_interface } = nic;
  return {
    ...(network ? {} : { custom_configuration: undefined }),
    ...(base_interface === undefined ? {} : { mac: undefined }),
    ...showBond(nic),
  };
}

export const hostNicBehavior = defineBehavior('host_nic', {
  present: (ctx, nic) => ({
    ...(ctx.site.dialect.engineAnswers ? asEnginesShow(nic) : {}),
    // An interface with a network shows both IP versions, used or not.
    ...(nic.network
      ? { ipv6: { gateway: '::', version: 'v6', ...nic.ipv6 }, properties: nic.properties ?? [] }
      : {}),
  }),

  linked(ctx, nic) {
    const host = nic.host?.id ?? '';
    const bond = listHostNics(ctx, host).find(({ bonding }) =>
      bonding?.slaves?.some(({ id }) => id === nic.id),
    );
    return {
      missing: [
        ...(nic.virtual_functions_configuration ? [] : functionRelations),
        ...(nic.bonding ? ['linklayerdiscoveryprotocolelements'] : []),
      ],
      others: bond ? [{ rel: 'master', path: `${nicsPath(host)}/${bond.id}` }] : [],
    };
  },

  actions: {
    update_virtual_functions_configuration(ctx, { object, ref }, body) {
      const present = object.virtual_functions_configuration;
      if (!present) {
        throw new Refusal(405, 'The network interface does not support SR-IOV.', object.id);
      }
      const host = ref.collection.split('/')[2] ?? '';
      const sent = body['virtual_functions_configuration'];
      const wanted = sent?.number_of_virtual_functions;
      if (wanted !== undefined && wanted !== present.number_of_virtual_functions) {
        setFunctionCount(ctx, host, object, wanted);
      }
      const { number_of_virtual_functions = 0, all_networks_allowed = true } = {
        ...present,
        ...sent,
      };
      const path = nicsPath(host);
      ctx.tx.update(
        'host_nic',
        {
          ...object,
          virtual_functions_configuration: {
            ...present,
            number_of_virtual_functions,
            all_networks_allowed,
          },
        },
        path,
      );
      ctx.event('VIRTUAL_FUNCTIONS_CHANGED', { host: { id: host } }, { NicName: object.name });
      return undefined;
    },
  },
});

/** Sets the number of virtual functions of an interface. */
function setFunctionCount(ctx: RuleContext, host: string, nic: Nic, wanted: number): void {
  const max = nic.virtual_functions_configuration?.max_number_of_virtual_functions ?? 0;
  const action = 'edit';
  if (wanted < 0 || wanted > max) {
    ctx.refuse('VALUE_OUT_OF_RANGE', {
      action,
      type: 'Interface',
      attribute: 'number_of_virtual_functions',
      value: wanted,
      min: 0,
      max,
    });
  }
  const functions = listHostNics(ctx, host).filter(
    ({ physical_function: on }) => on?.id === nic.id,
  );
  const used = new Set(listNetworkAttachments(ctx, host).map(({ host_nic }) => host_nic?.id));
  const busy = functions.filter(({ id }) => used.has(id));
  if (busy.length > 0) {
    ctx.refuse('VIRTUAL_FUNCTIONS_IN_USE', {
      action,
      names: busy.map(({ name }) => name).join(', '),
    });
  }
  for (const { id } of functions) ctx.tx.remove('host_nic', id ?? '', nicsPath(host));
  for (let index = 0; index < wanted; index++) {
    addNic(ctx, host, `${nic.name}v${index}`, {
      speed: nic.speed ?? 0,
      physical_function: { id: nic.id ?? '' },
    });
  }
}

/** Permits single networks and labels only if not all networks are permitted. */
export function requireSelection(ctx: RuleContext, ref: CollectionRef): void {
  const nic = ctx.tx.get('host_nic', ref.owner?.id ?? '');
  const configuration = nic?.virtual_functions_configuration;
  if (!configuration) ctx.refuse('NIC_IS_NOT_SRIOV', { action: 'add', nic: nic?.name });
  if (configuration.all_networks_allowed) {
    ctx.refuse('ALL_NETWORKS_ALLOWED', { action: 'add', nic: nic?.name });
  }
}

export const allowedNetworkBehavior = defineBehavior('allowed_network', {
  events: { remove: 'VIRTUAL_FUNCTIONS_NETWORK_REMOVED' },

  attach(ctx, ref, sent) {
    requireSelection(ctx, ref);
    const id = resolveMember(ctx.tx, 'network', sent);
    const name = ctx.tx.get('network', id)?.name ?? '';
    if (ctx.tx.get('allowed_network', id, ref.collection)) {
      ctx.refuse('NAME_IN_USE', { action: 'add', type: 'Network', name });
    }
    const allowed: Resource<'network'> = { id, name };
    ctx.tx.insert('allowed_network', ref.collection, allowed);
    const nic = ctx.tx.get('host_nic', ref.owner?.id ?? '');
    ctx.event(
      'VIRTUAL_FUNCTIONS_NETWORK_ADDED',
      { host: nic?.host },
      { NetworkName: name, HostNicName: nic?.name },
    );
    return allowed;
  },

  present: (ctx, { id = '' }) => ctx.tx.get('network', id) ?? {},
});

/** Information that the connected switch sends. */
export const lldpBehavior = defineBehavior('link_layer_discovery_protocol_element', {
  compute(ctx, ref) {
    const nic = ctx.tx.get('host_nic', ref.owner?.id ?? '');
    if (!nic || nic.bonding || nic.base_interface !== undefined || nic.physical_function) return [];
    const digest = digestParts(nic.id ?? '', 'switch');
    const port = 1 + ((digest[0] ?? 0) % 48);
    const rows: readonly [number, string, string, string][] = [
      [1, 'Chassis ID', 'chassis id', '02:00:5e:10:00:01'],
      [2, 'Port ID', 'port id', `Ethernet1/${port}`],
      [3, 'Time To Live', 'time to live', '120'],
      [4, 'Port Description', 'port description', `to ${nic.name}`],
      [5, 'System Name', 'system name', 'switch1.example.com'],
    ];
    return rows.map(([type, name, property, value]) => ({
      id: `${type}`,
      name,
      type,
      properties: [{ name: property, value }],
    }));
  },
});
