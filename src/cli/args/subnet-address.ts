/** IP addresses with a prefix length, and gateways, in values of flags. */
import { BlockList, isIP } from 'node:net';
import { UsageError } from '../../client/errors.ts';

/** Address in a subnet: `192.0.2.7/24`. */
export interface SubnetAddress {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
  /** IPv4: dotted mask; IPv6: prefix length. */
  readonly netmask: string;
  readonly gateway?: string;
}

/** Returns the family of an address; undefined for other texts. An IPv6 zone is not supported. */
export function getAddressFamily(text: string): SubnetAddress['family'] | undefined {
  const version = text.includes('%') ? 0 : isIP(text);
  if (version === 0) return undefined;
  return version === 4 ? 'ipv4' : 'ipv6';
}

/** Addresses that a NIC cannot have: unspecified, loopback and multicast. */
const reserved = new BlockList();
reserved.addSubnet('0.0.0.0', 8, 'ipv4');
reserved.addSubnet('127.0.0.0', 8, 'ipv4');
reserved.addSubnet('224.0.0.0', 4, 'ipv4');
reserved.addSubnet('::', 127, 'ipv6');
reserved.addSubnet('ff00::', 8, 'ipv6');

/** Parses `192.0.2.7/24` or `2001:db8::7/64`. `flag` is the typed flag with its value. */
export function parseSubnetAddress(text: string, flag: string): SubnetAddress {
  const [, address = '', digits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = getAddressFamily(address);
  if (!family) {
    throw new UsageError(`${flag}: not an address with a prefix length`, {
      hint: 'use ADDRESS/PREFIX: 192.0.2.7/24 or 2001:db8::7/64',
    });
  }
  const maximum = family === 'ipv4' ? 32 : 128;
  if (digits === undefined) {
    throw new UsageError(`${flag}: the prefix length is missing`, {
      hint: `use ${address}/${family === 'ipv4' ? 24 : 64}`,
    });
  }
  const prefix = Number(digits);
  if (prefix < 1 || prefix > maximum) {
    throw new UsageError(`${flag}: the prefix length is not between 1 and ${maximum}`);
  }
  if (reserved.check(address, family)) {
    throw new UsageError(`${flag}: this is a multicast, loopback or unspecified address`, {
      hint: 'use an address of a computer in the subnet',
    });
  }
  if (family === 'ipv6') return { address, prefix, family, netmask: String(prefix) };
  refuseReserved(address, prefix, flag);
  return { address, prefix, family, netmask: formatMask(prefix) };
}

/** Throws `UsageError` for the network address and the broadcast address of an IPv4 subnet. */
function refuseReserved(address: string, prefix: number, flag: string): void {
  const host = toNumber(address) & ~toMask(prefix);
  // RFC 3021: subnets with two addresses have neither a network nor a broadcast address.
  if (prefix >= 31 || (host !== 0 && host !== ~toMask(prefix))) return;
  throw new UsageError(
    `${flag}: this is the ${host === 0 ? 'network' : 'broadcast'} address of the subnet`,
    { hint: 'use an address of a computer in the subnet' },
  );
}

/** Adds a gateway. Throws `UsageError` if it is not another address of the subnet. */
export function addGateway(subnet: SubnetAddress, gateway: string, flag: string): SubnetAddress {
  const { address, prefix, family } = subnet;
  if (!isInSubnet(subnet, gateway)) {
    throw new UsageError(`${flag}: not in the subnet of ${address}/${prefix}`, {
      hint: 'check the prefix length and the gateway',
    });
  }
  const own = new BlockList();
  own.addAddress(address, family);
  if (own.check(gateway, family)) {
    throw new UsageError(`${flag}: the gateway is the address itself`, {
      hint: 'use the address of the router',
    });
  }
  if (family === 'ipv4') refuseReserved(gateway, prefix, flag);
  return { ...subnet, gateway };
}

function isInSubnet({ address, prefix, family }: SubnetAddress, other: string): boolean {
  // Link-local routers are the norm in IPv6 networks (RFC 4861).
  if (family === 'ipv6' && /^fe[89ab][0-9a-f]:/i.test(other)) return true;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return list.check(other, family);
}

function toNumber(address: string): number {
  return address.split('.').reduce((sum, part) => (sum << 8) | Number(part), 0);
}

function toMask(prefix: number): number {
  return 0xffffffff << (32 - prefix);
}

function formatMask(prefix: number): string {
  const mask = toMask(prefix);
  return [24, 16, 8, 0].map((shift) => (mask >>> shift) & 0xff).join('.');
}
