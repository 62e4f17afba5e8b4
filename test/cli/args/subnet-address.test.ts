/** Addresses with a prefix length, and their gateways. */
import { describe, expect, it } from 'vitest';
import {
  addGateway,
  getAddressFamily,
  parseSubnetAddress,
} from '../../../src/cli/args/subnet-address.ts';

describe('parseSubnetAddress', () => {
  it.each([
    ['192.0.2.10/24', 'ipv4', '255.255.255.0'],
    ['10.1.2.3/8', 'ipv4', '255.0.0.0'],
    ['198.51.100.129/25', 'ipv4', '255.255.255.128'],
    ['192.0.2.0/31', 'ipv4', '255.255.255.254'],
    ['192.0.2.255/32', 'ipv4', '255.255.255.255'],
    ['128.0.0.1/1', 'ipv4', '128.0.0.0'],
    ['2001:db8::10/64', 'ipv6', '64'],
    ['2001:db8::/128', 'ipv6', '128'],
  ])('reads %s', (text, family, netmask) => {
    expect(parseSubnetAddress(text, '--ip')).toMatchObject({ family, netmask });
  });

  it.each([
    ['192.0.2.10', 'the prefix length is missing'],
    ['192.0.2.10/0', 'not between 1 and 32'],
    ['192.0.2.10/33', 'not between 1 and 32'],
    ['2001:db8::1/129', 'not between 1 and 128'],
    ['192.0.2.0/24', 'network address'],
    ['192.0.2.255/24', 'broadcast address'],
    ['9.255.255.255/8', 'broadcast address'],
    ['224.0.0.1/24', 'multicast'],
    ['127.0.0.1/8', 'loopback'],
    ['0.0.0.1/8', 'unspecified'],
    ['::1/128', 'loopback'],
    ['ff02::1/64', 'multicast'],
    ['192.0.2/24', 'not an address'],
    ['192.0.2.010/24', 'not an address'],
    ['192.0.2.10/24/24', 'not an address'],
    ['192.0.2.10/', 'not an address'],
    ['fe80::1%eth0/64', 'not an address'],
    ['web01/24', 'not an address'],
    ['', 'not an address'],
  ])('refuses %s', (text, message) => {
    expect(() => parseSubnetAddress(text, `--ip ${text}`)).toThrow(message);
  });
});

describe('addGateway', () => {
  const add = (subnet: string, gateway: string) =>
    addGateway(parseSubnetAddress(subnet, '--ip'), gateway, '--gateway').gateway;

  it.each([
    ['192.0.2.10/24', '192.0.2.1'],
    ['198.51.100.129/25', '198.51.100.254'],
    ['2001:db8::10/64', '2001:db8::1'],
    ['2001:db8::10/64', 'fe80::1'],
  ])('of %s accepts %s', (subnet, gateway) => {
    expect(add(subnet, gateway)).toBe(gateway);
  });

  it.each([
    ['192.0.2.10/24', '192.0.3.1', 'not in the subnet of 192.0.2.10/24'],
    ['192.0.2.10/24', '192.0.2.0', 'network address'],
    ['192.0.2.10/24', '192.0.2.255', 'broadcast address'],
    ['198.51.100.129/25', '198.51.100.1', 'not in the subnet'],
    ['192.0.2.10/24', '2001:db8::1', 'not in the subnet'],
    ['2001:db8::10/64', '2001:db8:1::1', 'not in the subnet'],
    ['2001:db8::10/64', '2001:db8:0::10', 'the address itself'],
    ['192.0.2.10/24', '192.0.2.10', 'the address itself'],
    ['192.0.2.10/24', 'router', 'not in the subnet'],
  ])('of %s refuses %s', (subnet, gateway, message) => {
    expect(() => add(subnet, gateway)).toThrow(message);
  });
});

it('an address with a zone has no family', () => {
  expect(getAddressFamily('fe80::1%eth0')).toBeUndefined();
  expect(getAddressFamily('fe80::1')).toBe('ipv6');
});
