/** Addresses: IP, MAC, VLAN and DNS. */
import { structure } from '../notation/resource.ts';

export const ip = structure('ip', {
  attributes: {
    address: { kind: 'string', mut: 'CU' },
    netmask: { kind: 'string', mut: 'CU' },
    gateway: { kind: 'string', mut: 'CU' },
    version: { kind: 'enum ip_version', mut: 'CU' },
  },
});

export const ipAddressAssignment = structure('ip_address_assignment', {
  attributes: {
    ip: { kind: 'struct ip', mut: 'CU' },
    assignment_method: { kind: 'enum boot_protocol', mut: 'CU' },
  },
});

export const mac = structure('mac', {
  attributes: {
    address: { kind: 'string', mut: 'CU' },
  },
});

export const vlan = structure('vlan', {
  attributes: {
    id: { kind: 'int', mut: 'CU' },
  },
});

export const dns = structure('dns', {
  attributes: {
    servers: { kind: 'list struct host', mut: 'CU' },
    search_domains: { kind: 'list struct host', mut: 'CU' },
  },
});

export const dnsResolverConfiguration = structure('dns_resolver_configuration', {
  attributes: {
    name_servers: { kind: 'list string', mut: 'CU' },
  },
});
