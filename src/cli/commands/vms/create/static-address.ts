/** Static addresses of a new VM, which cloud-init configures at the first start. */
import { UsageError } from '../../../../client/errors.ts';
import {
  addGateway,
  getAddressFamily,
  parseSubnetAddress,
  type SubnetAddress,
} from '../../../args/subnet-address.ts';

export interface AddressFlags {
  readonly ip?: readonly string[];
  readonly gateway?: readonly string[];
  readonly dns?: readonly string[];
  readonly ipNic?: string;
}

type Body = Readonly<Record<string, unknown>>;

const defaultNic = 'eth0';

/**
 * Builds the network part of the initialization; empty without flags. Throws `UsageError` for
 * invalid values.
 */
export function createAddressConfiguration(flags: AddressFlags): Body {
  const { ip = [], gateway = [], dns = [], ipNic: name = defaultNic } = flags;
  const [flag] = [
    ...(gateway.length > 0 ? ['--gateway'] : []),
    ...(dns.length > 0 ? ['--dns'] : []),
    ...(flags.ipNic === undefined ? [] : ['--ip-nic']),
  ];
  if (ip.length === 0 && flag !== undefined) {
    throw new UsageError(`${flag} requires --ip`, { hint: 'add --ip 192.0.2.10/24' });
  }
  if (ip.length === 0) return {};
  if (!/^[A-Za-z0-9_.:@-]{1,64}$/.test(name)) {
    throw new UsageError(`--ip-nic ${name}: not the name of a NIC in the guest`, {
      hint: `use --ip-nic ${defaultNic}`,
    });
  }
  const servers = parseServers(dns);
  return {
    nic_configurations: [{ name, on_boot: true, ...createProtocols(parseAddresses(ip, gateway)) }],
    ...(servers.length > 0 ? { dns_servers: servers.join(' ') } : {}),
  };
}

function createProtocols(subnets: readonly SubnetAddress[]): Body {
  const assignments = subnets.map(({ family, address, netmask, gateway }) => {
    const version = family === 'ipv4' ? 'v4' : 'v6';
    const ip = { address, netmask, ...(gateway === undefined ? {} : { gateway }), version };
    return family === 'ipv4'
      ? { boot_protocol: 'static', ip }
      : { ipv6_boot_protocol: 'static', ipv6: ip };
  });
  // The service reads a missing IPv4 protocol as DHCP in some versions.
  return Object.assign({ boot_protocol: 'none' }, ...assignments);
}

/** Parses at most one address and one gateway for each family. */
function parseAddresses(
  ips: readonly string[],
  gateways: readonly string[],
): readonly SubnetAddress[] {
  const subnets = ips.map((text) => parseSubnetAddress(text, `--ip ${text}`));
  requireOneOfEachFamily(subnets, '--ip');
  const routers = gateways.map((text) => {
    const family = getAddressFamily(text);
    if (family) return { text, family };
    throw new UsageError(`--gateway ${text}: not an address`, { hint: 'use --gateway 192.0.2.1' });
  });
  requireOneOfEachFamily(routers, '--gateway');
  for (const { text, family } of routers) {
    if (subnets.some((one) => one.family === family)) continue;
    throw new UsageError(`--gateway ${text}: no --ip of the same family`, {
      hint: `add --ip ${family === 'ipv4' ? '192.0.2.10/24' : '2001:db8::10/64'}`,
    });
  }
  return subnets.map((subnet) => {
    const router = routers.find(({ family }) => family === subnet.family);
    return router ? addGateway(subnet, router.text, `--gateway ${router.text}`) : subnet;
  });
}

function requireOneOfEachFamily(
  items: readonly { readonly family: SubnetAddress['family'] }[],
  flag: string,
): void {
  for (const family of ['ipv4', 'ipv6'] as const) {
    if (items.filter((one) => one.family === family).length <= 1) continue;
    const name = family === 'ipv4' ? 'IPv4' : 'IPv6';
    throw new UsageError(`${flag}: more than one ${name} address`, {
      hint: `use one IPv4 and one IPv6 address; --cloud-init FILE can configure others`,
    });
  }
}

function parseServers(texts: readonly string[]): readonly string[] {
  const servers = texts.flatMap((text) => text.split(',').map((one) => one.trim()));
  const invalid = servers.find((one) => getAddressFamily(one) === undefined);
  if (invalid === undefined) return servers;
  throw new UsageError(`--dns ${invalid}: not an address`, {
    hint: 'use addresses of DNS servers: --dns 192.0.2.53,192.0.2.54',
  });
}
