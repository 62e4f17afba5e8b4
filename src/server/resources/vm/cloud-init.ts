/** Files of cloud-init for its data source `NoCloud`. */
import type { Resource } from '../../../model/resource.ts';
import { toRecord } from '../../../records.ts';
import type { FirstBoot } from '../../core/hypervisor.ts';
import { pickDefined } from '../../core/member-selection.ts';

type Initialization = Resource<'initialization'>;
type NicConfiguration = NonNullable<Initialization['nic_configurations']>[number];
type Members = Readonly<Record<string, unknown>>;

/** First line of a document with settings. */
const configHeader = '#cloud-config';

/** Account of the password and the keys if the initialization names none. */
const defaultUser = 'root';

/**
 * Creates the files. `instance` identifies the run: cloud-init applies the data once per instance.
 * The custom script replaces settings of the same name. A script of another format is a second part.
 */
export function createCloudInitFiles(
  initialization: Initialization,
  instance: string,
): FirstBoot['files'] {
  const { host_name: name } = initialization;
  const network = createNetwork(initialization);
  const about = { 'instance-id': instance, ...(name ? { 'local-hostname': name } : {}) };
  const settings = createSettings(initialization);
  return [
    { path: 'meta-data', text: formatMembers(about) },
    { path: 'user-data', text: mergeScript(settings, initialization.custom_script ?? '') },
    ...(network ? [{ path: 'network-config', text: formatMembers(network) }] : []),
  ];
}

/** The members of a document in YAML. Each value is JSON, which is valid YAML. */
function formatMembers(members: Members): string {
  return Object.entries(members)
    .map(([name, value]) => `${name}: ${formatValue(value)}\n`)
    .join('');
}

/** YAML does not permit all characters that JSON permits. */
function formatValue(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function createSettings(initialization: Initialization): Members {
  const { host_name: name, root_password: password, timezone } = initialization;
  const keys = splitLines(initialization.authorized_ssh_keys);
  const hasAccount = Boolean(password) || keys.length > 0 || Boolean(initialization.user_name);
  return pickDefined<Record<string, unknown>>({
    hostname: name ? name.split('.')[0] : undefined,
    fqdn: name?.includes('.') ? name : undefined,
    timezone: timezone || undefined,
    user: hasAccount ? initialization.user_name || defaultUser : undefined,
    disable_root: hasAccount ? false : undefined,
    ...(password ? { password, chpasswd: { expire: false }, ssh_pwauth: true } : {}),
    ssh_authorized_keys: keys.length > 0 ? keys : undefined,
    ssh_deletekeys: initialization.regenerate_ssh_keys,
    ...createResolver(initialization),
  });
}

function splitLines(text = ''): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function splitWords(text = ''): readonly string[] {
  return text.split(/[\s,;]+/).filter((word) => word !== '');
}

/** Name servers of a guest that configures its NICs without this data. */
function createResolver({ nic_configurations: nics = [], ...rest }: Initialization): Members {
  const nameservers = splitWords(rest.dns_servers);
  const searchdomains = splitWords(rest.dns_search);
  if (nics.length > 0 || nameservers.length + searchdomains.length === 0) return {};
  return { manage_resolv_conf: true, resolv_conf: { nameservers, searchdomains } };
}

/** Configuration of the NICs, version 1; undefined if the guest uses its defaults. */
function createNetwork(initialization: Initialization): Members | undefined {
  const { nic_configurations: nics = [] } = initialization;
  if (nics.length === 0) return undefined;
  const address = splitWords(initialization.dns_servers);
  const search = splitWords(initialization.dns_search);
  const hasResolver = address.length + search.length > 0;
  return {
    version: 1,
    config: [
      ...nics.map(createNic),
      ...(hasResolver ? [{ type: 'nameserver', address, search }] : []),
    ],
  };
}

function createNic(nic: NicConfiguration): Members {
  const control = nic.on_boot === false ? { control: 'manual' } : {};
  const subnets = [...createIpv4(nic), ...createIpv6(nic)];
  return {
    type: 'physical',
    name: nic.name ?? '',
    subnets: subnets.map((subnet) => ({ ...subnet, ...control })),
  };
}

function createIpv4({ boot_protocol: protocol, ip = {} }: NicConfiguration): Members[] {
  if (protocol === 'dhcp') return [{ type: 'dhcp4' }];
  if ((protocol ?? 'static') !== 'static' || !ip.address) return [];
  return [
    {
      ...{ type: 'static', address: ip.address },
      ...(ip.netmask ? { netmask: ip.netmask } : {}),
      ...(ip.gateway ? { gateway: ip.gateway } : {}),
    },
  ];
}

/** The netmask of IPv6 is the length of the prefix. */
function createIpv6({ ipv6_boot_protocol: protocol, ipv6 = {} }: NicConfiguration): Members[] {
  if (protocol === 'autoconf') return [{ type: 'ipv6_slaac' }];
  if (protocol === 'dhcp' || protocol === 'poly_dhcp_autoconf') return [{ type: 'dhcp6' }];
  if ((protocol ?? 'static') !== 'static' || !ipv6.address) return [];
  const address = ipv6.netmask ? `${ipv6.address}/${ipv6.netmask}` : ipv6.address;
  return [{ type: 'static6', address, ...(ipv6.gateway ? { gateway: ipv6.gateway } : {}) }];
}

/** Formats of user data by the first line. */
const formats: readonly (readonly [RegExp, string])[] = [
  [/^#!/, 'text/x-shellscript'],
  [/^#include-once/, 'text/x-include-once-url'],
  [/^#include/, 'text/x-include-url'],
  [/^#cloud-config-archive/, 'text/cloud-config-archive'],
  [/^#cloud-boothook/, 'text/cloud-boothook'],
  [/^#part-handler/, 'text/part-handler'],
  [/^## template: *jinja/, 'text/jinja2'],
];

/** The start of a document, after comments and empty lines. */
const documentStart = /^((?:[ \t]*(?:#[^\n]*)?\r?\n)*)---[ \t]*\r?\n/;

function mergeScript(settings: Members, script: string): string {
  const format = formats.find(([pattern]) => pattern.test(script))?.[1];
  if (format !== undefined) return joinParts(settings, formatPart(format, script));
  // A script that consists of parts has these headers.
  if (/^(MIME-Version|Content-Type):/i.test(script)) return joinParts(settings, script);
  return `${configHeader}\n${appendSettings(settings, script)}`;
}

/** Appends settings in YAML, which replace settings of the same name. */
function appendSettings(settings: Members, script: string): string {
  const replaced = parseMembers(script);
  if (replaced) return formatMembers({ ...settings, ...replaced });
  const own = script.replace(/^#cloud-config[^\n]*\n?/, '').replace(documentStart, '$1');
  const names = new Set(
    Array.from(own.matchAll(/^["']?([\w-]+)["']?[ \t]*:/gm), ([, name]) => name),
  );
  const kept = Object.entries(settings).filter(([name]) => !names.has(name));
  return `${formatMembers(Object.fromEntries(kept))}${own}`;
}

/** The members of a script in JSON; undefined for another script. */
function parseMembers(script: string): Members | undefined {
  const text = script.replace(/^#cloud-config[^\n]*\n?/, '').trim();
  if (!text.startsWith('{')) return undefined;
  try {
    return toRecord(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const boundary = 'vmctl-first-boot-data';

/** User data of several parts: the settings, and the script. */
function joinParts(settings: Members, script: string): string {
  const config = `${configHeader}\n${formatMembers(settings)}`;
  const all = [formatPart('text/cloud-config', config), script];
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n`,
    ...all.map((part) => `--${boundary}\n${part}\n`),
    `--${boundary}--\n`,
  ].join('');
}

/** The content is in base64, so that it cannot contain the boundary. */
function formatPart(type: string, text: string): string {
  const content = Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\n');
  return [
    `Content-Type: ${type}; charset="utf-8"`,
    'Content-Transfer-Encoding: base64',
    ...['', content],
  ].join('\n');
}
