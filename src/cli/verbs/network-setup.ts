/** Flags of `hosts setup-networks`: what to attach, detach, bond and take apart, without a file. */
import type { ApiObject } from '../../client/client.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { type FlagSpec, flag } from '../args/parameters.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { collectionAt } from './collections.ts';
import { type Found, operationNamed } from './references.ts';
import type { Run } from './run.ts';

type Body = Record<string, unknown>;

const repeatable = { repeatable: true } as const;

/** The flags of the verb, beside those that every change has. */
export const networkSetupFlags: readonly FlagSpec[] = [
  flag(
    '--attach <network=nic[,address]>',
    'Network to attach; address: dhcp, none or 192.0.2.7/24[,gateway].',
    repeatable,
  ),
  flag('--detach <network>', 'Network to detach.', repeatable),
  flag(
    '--bond <name=nic+nic[,mode]>',
    'Bond to create or change; mode: 0 to 6 (default 1).',
    repeatable,
  ),
  flag('--unbond <name>', 'Bond to remove.', repeatable),
];

/** The body of the action for one host: what the flags say beside what a file says. */
export async function networkSetup(run: Run, host: Found, body: Body): Promise<Body> {
  const { options } = run;
  const attach = texts(options['attach']);
  const detach = texts(options['detach']);
  const bond = texts(options['bond']);
  const unbond = texts(options['unbond']);
  const result = { ...body };
  const put = (name: string, items: readonly object[]) => {
    if (items.length === 0) return;
    const before = result[name];
    result[name] = [...(Array.isArray(before) ? before : []), ...items];
  };
  const bonds = bond.map(bondOf);
  put('modified_bonds', bonds);
  put(
    'removed_bonds',
    unbond.map((name) => ({ name })),
  );
  const attachments = attach.map(attachmentOf);
  for (const one of attachments) one.network = await run.finder.reference(one.word, 'network');
  put(
    'modified_network_attachments',
    attachments.map(({ word: _word, ...one }) => one),
  );
  if (detach.length > 0) put('removed_network_attachments', await attachmentsOf(run, host, detach));
  return result;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

interface Attachment extends Body {
  readonly word: string;
}

/** `storage=eth1,192.0.2.7/24,192.0.2.1` as a network attachment; the network is still a word. */
function attachmentOf(text: string): Attachment {
  const [, word = '', nic = '', rest] = /^([^=]+)=([^,]+)(?:,(.*))?$/.exec(text) ?? [];
  if (word === '') {
    throw new UsageError(`--attach ${text}: not a network and an interface`, {
      hint: 'use --attach storage=eth1,192.0.2.7/24',
    });
  }
  const attachment: Attachment = { word, host_nic: { name: nic } };
  return rest === undefined
    ? attachment
    : { ...attachment, ip_address_assignments: [assignmentOf(rest, `--attach ${text}`)] };
}

function assignmentOf(text: string, flag: string): Body {
  if (text === 'dhcp' || text === 'none') return { assignment_method: text };
  const [address = '', gateway] = text.split(',');
  const [, ip = '', prefix = ''] = /^([\d.]+)\/(\d+)$/.exec(address) ?? [];
  if (ip === '' || Number(prefix) > 32) {
    throw new UsageError(`${flag}: ${text} is not an address`, {
      hint: 'use dhcp, none or ADDRESS/PREFIX: 192.0.2.7/24',
    });
  }
  return {
    assignment_method: 'static',
    ip: { address: ip, netmask: netmaskOf(Number(prefix)), ...(gateway ? { gateway } : {}) },
  };
}

function netmaskOf(prefix: number): string {
  const mask = prefix === 0 ? 0 : (0xffffffff << (32 - prefix)) >>> 0;
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 0xff).join('.');
}

/** `bond0=eth1+eth2,4` as a bond. */
function bondOf(text: string): Body {
  const [, name, slaves, mode = '1'] =
    /^([^=]+)=([^,+]+(?:\+[^,+]+)+)(?:,([0-6]))?$/.exec(text) ?? [];
  if (name === undefined || slaves === undefined) {
    throw new UsageError(`--bond ${text}: not a bond of two or more interfaces`, {
      hint: 'use --bond bond0=eth1+eth2, or with a mode: bond0=eth1+eth2,4',
    });
  }
  return {
    name,
    bonding: {
      options: [{ name: 'mode', value: mode }],
      slaves: slaves.split('+').map((slave) => ({ name: slave })),
    },
  };
}

/** The attachments of networks of a host, which are named by the networks. */
async function attachmentsOf(
  run: Run,
  host: Found,
  words: readonly string[],
): Promise<readonly object[]> {
  const { path } = collectionAt('/hosts/{host}/networkattachments');
  const operation = operationNamed(path, 'list');
  if (!operation) return [];
  const query = operation.query.includes('follow') ? { follow: 'network' } : {};
  const present = await run.client.list({ operation, ids: { host: host.id }, query });
  return words.map((word) => {
    const found = present.find((one) => {
      const { id, name } = (one['network'] ?? {}) as ApiObject;
      return id === word || name === word;
    });
    if (found) return { id: found['id'] };
    const names = present.map((one) => String(((one['network'] ?? {}) as ApiObject)['name'] ?? ''));
    const near = closeMatches(word, names);
    throw new NotFoundError(`--detach ${word}: ${host.label} has no such network`, {
      hint:
        near.length > 0 ? `did you mean ${near.join(' or ')}?` : `available: ${names.join(', ')}`,
    });
  });
}
