/**
 * Network settings of the first start of a guest, as documents have them: JSON in which each value
 * follows the name of its class, or stands alone.
 */
import type { Resource } from '../../model/resource.ts';
import { isRecord, type StoredObject } from '../store/document.ts';

export type NicConfigurations = NonNullable<Resource<'initialization'>['nic_configurations']>;
type NicConfiguration = NicConfigurations[number];
type Protocol = NonNullable<NicConfiguration['boot_protocol']>;

const listClass = 'java.util.ArrayList';
const itemClass = 'org.ovirt.engine.core.common.businessentities.VmInitNetwork';

const protocols: Readonly<Record<Protocol, string>> = {
  none: 'NONE',
  dhcp: 'DHCP',
  static: 'STATIC_IP',
  autoconf: 'AUTOCONF',
  poly_dhcp_autoconf: 'POLY_DHCP_AUTOCONF',
};

/** Writes them. */
export function networksText(list: NicConfigurations): string | undefined {
  if (list.length === 0) return undefined;
  return JSON.stringify([listClass, list.map((one) => [itemClass, written(one)])]);
}

function written({ name, on_boot, ip, ipv6, ...how }: NicConfiguration): StoredObject {
  const prefix = ipv6?.netmask;
  return {
    startOnBoot: on_boot ?? null,
    name: name ?? null,
    bootProtocol: protocols[how.boot_protocol ?? 'none'],
    ip: ip?.address ?? null,
    netmask: ip?.netmask ?? null,
    gateway: ip?.gateway ?? null,
    ipv6BootProtocol: protocols[how.ipv6_boot_protocol ?? 'none'],
    ipv6Address: ipv6?.address ?? null,
    ipv6Prefix: prefix === undefined || !/^\d+$/.test(prefix) ? null : Number(prefix),
    ipv6Gateway: ipv6?.gateway ?? null,
    id: null,
  };
}

/** Reads them, with or without names of classes; undefined where the text is something else. */
export function networksIn(text: string): NicConfigurations | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  const list = named(found, listClass);
  if (!Array.isArray(list)) return undefined;
  const read = list.flatMap((one: unknown) => {
    const item = named(one, itemClass);
    return isRecord(item) ? [readOne(item)] : [];
  });
  return read.length > 0 ? read : undefined;
}

/** The value that follows the name of its class, or the value itself. */
function named(value: unknown, className: string): unknown {
  return Array.isArray(value) && value.length === 2 && value[0] === className ? value[1] : value;
}

function readOne(item: StoredObject): NicConfiguration {
  const text = (name: string) => {
    const value = item[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
  const address = (version: 'v4' | 'v6', names: readonly [string, string, string]) => {
    const [own, netmask, gateway] = names.map(text);
    if (own === undefined && netmask === undefined && gateway === undefined) return undefined;
    return {
      ...(own === undefined ? {} : { address: own }),
      ...(netmask === undefined ? {} : { netmask }),
      ...(gateway === undefined ? {} : { gateway }),
      version,
    };
  };
  const name = text('name');
  const ip = address('v4', ['ip', 'netmask', 'gateway']);
  const ipv6 = address('v6', ['ipv6Address', 'ipv6Prefix', 'ipv6Gateway']);
  const onBoot = item['startOnBoot'];
  return {
    ...(name === undefined ? {} : { name }),
    boot_protocol: protocolOf(text('bootProtocol')),
    ...(ip ? { ip } : {}),
    ipv6_boot_protocol: protocolOf(text('ipv6BootProtocol')),
    ...(ipv6 ? { ipv6 } : {}),
    ...(typeof onBoot === 'boolean' ? { on_boot: onBoot } : {}),
  };
}

function protocolOf(word: string | undefined): Protocol {
  const found = Object.entries(protocols).find(([, spelled]) => spelled === word);
  return (found?.[0] as Protocol | undefined) ?? 'none';
}
