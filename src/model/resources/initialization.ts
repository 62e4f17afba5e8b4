/** First boot of a guest: cloud-init, sysprep, Ignition. */
import { structure } from '../notation/resource.ts';

export const initialization = structure('initialization', {
  attributes: {
    configuration: { kind: 'struct configuration', mut: 'CU' },
    cloud_init: { kind: 'struct cloud_init', mut: 'CU' },
    host_name: { kind: 'string', mut: 'CU' },
    domain: { kind: 'string', mut: 'CU' },
    timezone: { kind: 'string', mut: 'CU' },
    authorized_ssh_keys: { kind: 'string', mut: 'CU' },
    regenerate_ssh_keys: { kind: 'bool', mut: 'CU' },
    regenerate_ids: { kind: 'bool', mut: 'CU' },
    dns_servers: { kind: 'string', mut: 'CU' },
    dns_search: { kind: 'string', mut: 'CU' },
    nic_configurations: { kind: 'list struct nic_configuration', mut: 'CU' },
    windows_license_key: { kind: 'string', mut: 'CU', secret: true },
    root_password: { kind: 'string', mut: 'CU', secret: true },
    // Scripts can contain passwords.
    custom_script: { kind: 'string', mut: 'CU', confidential: true },
    input_locale: { kind: 'string', mut: 'CU' },
    ui_language: { kind: 'string', mut: 'CU' },
    system_locale: { kind: 'string', mut: 'CU' },
    user_locale: { kind: 'string', mut: 'CU' },
    user_name: { kind: 'string', mut: 'CU' },
    active_directory_ou: { kind: 'string', mut: 'CU' },
    org_name: { kind: 'string', mut: 'CU' },
    cloud_init_network_protocol: { kind: 'enum cloud_init_network_protocol', mut: 'CU' },
  },
});

export const cloudInit = structure('cloud_init', {
  attributes: {
    host: { kind: 'struct host', mut: 'CU' },
    authorized_keys: { kind: 'list struct authorized_key', mut: 'CU' },
    network_configuration: { kind: 'struct network_configuration', mut: 'CU' },
    regenerate_ssh_keys: { kind: 'bool', mut: 'CU' },
    timezone: { kind: 'string', mut: 'CU' },
    users: { kind: 'list struct user', mut: 'CU' },
    files: { kind: 'list struct file', mut: 'CU' },
  },
});

export const networkConfiguration = structure('network_configuration', {
  attributes: {
    nics: { kind: 'list struct nic', mut: 'CU' },
    dns: { kind: 'struct dns', mut: 'CU' },
  },
});

export const nicConfiguration = structure('nic_configuration', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    ip: { kind: 'struct ip', mut: 'CU' },
    boot_protocol: { kind: 'enum boot_protocol', mut: 'CU' },
    ipv6: { kind: 'struct ip', mut: 'CU' },
    ipv6_boot_protocol: { kind: 'enum boot_protocol', mut: 'CU' },
    on_boot: { kind: 'bool', mut: 'CU' },
  },
});

export const authorizedKey = structure('authorized_key', {
  identified: true,
  attributes: {
    key: { kind: 'string', mut: 'CU' },
    user: { kind: 'ref user', mut: 'CU' },
  },
});

export const configuration = structure('configuration', {
  attributes: {
    type: { kind: 'enum configuration_type', mut: 'CU' },
    data: { kind: 'string', mut: 'CU' },
  },
});
