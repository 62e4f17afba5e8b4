/** Report of a guest agent in the form of the API. */
import { isRecord, toRecord } from '../../records.ts';
import type { GuestReport } from '../../server/core/hypervisor.ts';
import type { GuestAgent } from './agent.ts';

/** Longest name that a guest may report, and maximum number of its devices. */
const maxTextLength = 255;
const maxDevices = 64;

type Device = GuestReport['devices'][number];

/** Collects the report of an agent. Commands that the agent refuses are omitted. */
export async function readGuestReport(agent: GuestAgent): Promise<GuestReport> {
  const ask = (command: string) => agent.execute(command).catch(() => undefined);
  const host = toRecord(await ask('guest-get-host-name'));
  const system = toRecord(await ask('guest-get-osinfo'));
  const zone = toRecord(await ask('guest-get-timezone'));
  const interfaces = await ask('guest-network-get-interfaces');
  const fqdn = readText(host['host-name']);
  return {
    ...(fqdn === undefined ? {} : { fqdn }),
    ...describeSystem(system),
    ...describeZone(zone),
    devices: Array.isArray(interfaces) ? interfaces.flatMap(describeDevice) : [],
  };
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxTextLength) : undefined;
}

function describeSystem(system: Record<string, unknown>): Partial<GuestReport> {
  const distribution = readText(system['name']);
  if (distribution === undefined) return {};
  const kernel = readText(system['kernel-release']);
  const version = readText(system['version-id']);
  const [major = 0, minor = 0] = (version ?? '').split('.').map((part) => Number(part) || 0);
  const isWindows = readText(system['id']) === 'mswindows';
  return {
    guest_operating_system: {
      architecture: readText(system['machine']) ?? 'x86_64',
      codename: readText(system['version-codename']) ?? '',
      family: isWindows ? 'Windows' : 'Linux',
      distribution,
      ...(kernel === undefined ? {} : { kernel: { version: { full_version: kernel } } }),
      ...(version === undefined ? {} : { version: { full_version: version, major, minor } }),
    },
  };
}

/** Offset in the form `+01:00`. */
function describeZone(zone: Record<string, unknown>): Partial<GuestReport> {
  const { offset } = zone;
  if (typeof offset !== 'number') return {};
  const minutes = Math.round(Math.abs(offset) / 60);
  const two = (number: number) => String(number).padStart(2, '0');
  const utcOffset = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
  return { guest_time_zone: { name: readText(zone['zone']) ?? 'UTC', utc_offset: utcOffset } };
}

/** A network device; none for the loopback device. */
function describeDevice(value: unknown, index: number): Device[] {
  if (!isRecord(value) || index >= maxDevices) return [];
  const name = readText(value['name']);
  const mac = readText(value['hardware-address']);
  if (name === undefined || name === 'lo') return [];
  const addresses: unknown = value['ip-addresses'];
  const ips = Array.isArray(addresses) ? addresses.slice(0, maxDevices).flatMap(describeIp) : [];
  return [{ name, ...(mac === undefined ? {} : { mac: { address: mac } }), ips }];
}

function describeIp(value: unknown): NonNullable<Device['ips']> {
  const members = toRecord(value);
  const address = readText(members['ip-address']);
  if (address === undefined) return [];
  return [{ address, version: members['ip-address-type'] === 'ipv6' ? 'v6' : 'v4' }];
}
