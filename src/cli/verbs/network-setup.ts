/** Flags of `hosts setup-networks`: attach, detach, bond and unbond without a file. */

import { NotFoundError, UsageError } from '../../client/errors.ts';
import { requireOperation } from '../../model/index.ts';
import { defineFlag, type FlagSpec } from '../args/parameters.ts';
import { addGateway, parseSubnetAddress } from '../args/subnet-address.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import type { FoundObject } from './references.ts';
import type { Run } from './run.ts';

type Body = Record<string, unknown>;

const repeatable = { repeatable: true } as const;

export const networkSetupFlags: readonly FlagSpec[] = [
  defineFlag(
    '--attach <network=nic[,address]>',
    'Network to attach; address: dhcp, none or 192.0.2.7/24[,gateway].',
    repeatable,
  ),
  defineFlag('--detach <network>', 'Network to detach.', repeatable),
  defineFlag(
    '--bond <name=nic+nic[,mode]>',
    'Bond to create or change; mode: 802.3ad or 4 (default active-backup).',
    repeatable,
  ),
  defineFlag('--unbond <name>', 'Bond to remove.', repeatable),
];

/** Adds the flags to the body of the action for one host. */
export async function addNetworkSetup(run: Run, host: FoundObject, body: Body): Promise<Body> {
  const { options } = run;
  const attach = toTexts(options['attach']);
  const detach = toTexts(options['detach']);
  const bond = toTexts(options['bond']);
  const unbond = toTexts(options['unbond']);
  const result = { ...body };
  const put = (name: string, items: readonly object[]) => {
    if (items.length === 0) return;
    const before = result[name];
    result[name] = [...(Array.isArray(before) ? before : []), ...items];
  };
  put('modified_bonds', await keepBondOptions(run, host, bond.map(parseBond)));
  put(
    'removed_bonds',
    unbond.map((name) => ({ name })),
  );
  const attachments = attach.map(parseAttachment);
  for (const one of attachments)
    one.network = await run.finder.createReference(one.word, 'network');
  put(
    'modified_network_attachments',
    attachments.map(({ word: _word, ...one }) => one),
  );
  if (detach.length > 0)
    put('removed_network_attachments', await resolveAttachments(run, host, detach));
  return result;
}

function toTexts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

interface Attachment extends Body {
  readonly word: string;
}

/**
 * Parses a network attachment: `storage=eth1,192.0.2.7/24,192.0.2.1`. `word` is the unresolved
 * network.
 */
function parseAttachment(text: string): Attachment {
  const [, word = '', nic = '', rest] = /^([^=]+)=([^,]+)(?:,(.*))?$/.exec(text) ?? [];
  if (word === '') {
    throw new UsageError(`--attach ${text}: not a network and an interface`, {
      hint: 'use --attach storage=eth1,192.0.2.7/24',
    });
  }
  const attachment: Attachment = { word, host_nic: { name: nic } };
  return rest === undefined
    ? attachment
    : { ...attachment, ip_address_assignments: [parseAssignment(rest, `--attach ${text}`)] };
}

function parseAssignment(text: string, flag: string): Body {
  if (text === 'dhcp' || text === 'none') return { assignment_method: text };
  const [address = '', gateway] = text.split(',');
  const subnet = parseSubnetAddress(address, flag);
  const { address: ip, netmask, family } = gateway ? addGateway(subnet, gateway, flag) : subnet;
  return {
    assignment_method: 'static',
    ip: {
      ...{ address: ip, netmask },
      ...(gateway ? { gateway } : {}),
      ...(family === 'ipv6' ? { version: 'v6' } : {}),
    },
  };
}

/** Modes of bonds by number. */
const bondModes: readonly string[] = [
  ...['balance-rr', 'active-backup', 'balance-xor', 'broadcast'],
  ...['802.3ad', 'balance-tlb', 'balance-alb'],
];

interface BondOption {
  readonly name: string;
  readonly value: string;
}

interface Bond {
  readonly name: string;
  readonly slaves: readonly string[];
  /** Undefined if none are given. */
  readonly options: readonly BondOption[] | undefined;
}

/** Parses a bond: `bond0=eth1+eth2`, `bond0=eth1+eth2,802.3ad` or `bond0=eth1+eth2,4,miimon=100`. */
function parseBond(text: string): Bond {
  const [, name, members = '', rest] = /^([^=,]+)=([^,]+)(?:,(.+))?$/.exec(text) ?? [];
  const slaves = members.split('+');
  if (name === undefined || slaves.length < 2 || slaves.includes('')) {
    throw new UsageError(`--bond ${text}: not a bond of two or more interfaces`, {
      hint: 'use --bond bond0=eth1+eth2, or with a mode: bond0=eth1+eth2,802.3ad',
    });
  }
  if (new Set(slaves).size < slaves.length) {
    throw new UsageError(`--bond ${text}: the same interface appears twice`);
  }
  const options = rest?.split(',').map((word) => parseBondOption(word, `--bond ${text}`));
  return { name, slaves, options };
}

/** Parses a mode, or another option of the kernel such as `miimon=100`. */
function parseBondOption(word: string, flag: string): BondOption {
  const [, name = 'mode', value = ''] = /^(?:([a-z_]+)=)?(\S+)$/.exec(word) ?? [];
  if (name !== 'mode' && value !== '') return { name, value };
  const mode = /^[0-6]$/.test(value) ? Number(value) : bondModes.indexOf(value);
  if (mode >= 0) return { name: 'mode', value: String(mode) };
  throw new UsageError(`${flag}: "${word}" is not a mode of bonds`, {
    hint: `use one of ${bondModes.join(', ')}, or 0 to 6`,
  });
}

/** Bodies of bonds. A bond without a mode keeps its options, or is new and gets mode 1. */
async function keepBondOptions(
  run: Run,
  host: FoundObject,
  bonds: readonly Bond[],
): Promise<readonly object[]> {
  const isComplete = bonds.every(({ options }) => options?.some(({ name }) => name === 'mode'));
  const operation = requireOperation('/hosts/{host}/nics', 'list');
  const nics = isComplete ? [] : await run.client.list({ operation, ids: { host: host.id } });
  return bonds.map(({ name, slaves, options = [] }) => {
    const present = nics.find((nic) => nic.name === name)?.bonding?.options ?? [
      { name: 'mode', value: '1' },
    ];
    const kept = present.filter((one) => one.name === 'mode' || options.length === 0);
    const isModeGiven = options.some((one) => one.name === 'mode');
    return {
      name,
      bonding: {
        options: [
          ...(isModeGiven ? [] : kept.map((one) => ({ name: one.name, value: one.value }))),
          ...options,
        ],
        slaves: slaves.map((slave) => ({ name: slave })),
      },
    };
  });
}

/** Resolves the network attachments of a host by network names or ids. */
async function resolveAttachments(
  run: Run,
  host: FoundObject,
  words: readonly string[],
): Promise<readonly object[]> {
  const operation = requireOperation('/hosts/{host}/networkattachments', 'list');
  const query = operation.query.includes('follow') ? { follow: 'network' } : {};
  const present = await run.client.list({ operation, ids: { host: host.id }, query });
  return words.map((word) => {
    const found = present.find(({ network }) => network?.id === word || network?.name === word);
    if (found) return { id: found.id };
    const names = present.map(({ network }) => String(network?.name ?? ''));
    const near = findCloseMatches(word, names);
    throw new NotFoundError(`--detach ${word}: ${host.label} has no such network`, {
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `available: ${names.join(', ')}`,
    });
  });
}
