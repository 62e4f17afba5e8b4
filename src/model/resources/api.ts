/** Entry point: product, summary and settings of the service. */
import { ignored, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const api = resource('api', {
  doc: 'The entry point of the API.',
  attributes: {
    time: { kind: 'date', mut: 'R', doc: 'Time of the server.' },
    engine_backup: {
      kind: 'struct engine_backup_info',
      mut: 'R',
    },
    authenticated_user: { kind: 'ref user', mut: 'R', doc: 'User who signed in.' },
    effective_user: { kind: 'ref user', mut: 'R', doc: 'User that the request runs as.' },
    special_objects: { kind: 'struct special_objects', mut: 'R' },
    product_info: { kind: 'struct product_info', mut: 'R' },
    summary: { kind: 'struct api_summary', mut: 'R' },
  },
  operations: {
    reload_configurations: { permit: system('configure_engine'), harmless: true },
  },
  paths: {
    '/': owned({
      head: [],
      get: [ignored('follow', 'the entry point only has links to collections'), 'rsdl', 'schema'],
      actions: { reload_configurations: ['async'] },
      withoutEffect: {
        reload_configurations: 'the server has no configuration file to reload; it writes an event',
      },
    }),
  },
});

export const systemOption = resource('system_option', {
  identified: true,
  attributes: {
    values: { kind: 'list struct system_option_value', mut: 'CU' },
  },
  paths: { '/options/{option}': owned({ get: ['version'] }) },
});

export const systemOptionValue = structure('system_option_value', {
  attributes: {
    value: { kind: 'string', mut: 'CU' },
    version: { kind: 'string', mut: 'CU' },
  },
});

export const apiSummary = structure('api_summary', {
  attributes: {
    vms: { kind: 'struct api_summary_item', mut: 'CU' },
    hosts: { kind: 'struct api_summary_item', mut: 'CU' },
    users: { kind: 'struct api_summary_item', mut: 'CU' },
    storage_domains: { kind: 'struct api_summary_item', mut: 'CU' },
  },
});

export const apiSummaryItem = structure('api_summary_item', {
  attributes: {
    total: { kind: 'int', mut: 'CU' },
    active: { kind: 'int', mut: 'CU' },
  },
});

export const productInfo = structure('product_info', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    vendor: { kind: 'string', mut: 'CU' },
    version: { kind: 'struct version', mut: 'CU' },
    instance_id: { kind: 'string', mut: 'CU' },
  },
});

export const specialObjects = structure('special_objects', {
  attributes: {
    blank_template: { kind: 'ref template', mut: 'CU' },
    root_tag: { kind: 'ref tag', mut: 'CU' },
  },
});

export const engineBackupInfo = structure('engine_backup_info', {
  attributes: {
    last_engine_backup: { kind: 'date', mut: 'CU' },
    last_db_backup: { kind: 'date', mut: 'CU' },
    last_dwh_backup: { kind: 'date', mut: 'CU' },
    last_cinder_backup: { kind: 'date', mut: 'CU' },
    last_keycloak_backup: { kind: 'date', mut: 'CU' },
    last_grafana_backup: { kind: 'date', mut: 'CU' },
  },
});
