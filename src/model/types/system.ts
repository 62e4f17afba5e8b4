/** Types of the system family (specification 2.4). */
import { types } from '../notation.ts';

export const systemTypes = types({
  api: {
    doc: 'The entry point.',
    attributes: {
      time: { kind: 'date', mut: 'R', doc: 'The clock of the server.' },
      engine_backup: {
        kind: 'struct engine_backup_info',
        mut: 'R',
      },
      authenticated_user: { kind: 'ref user', mut: 'R', doc: 'Who signed in.' },
      effective_user: { kind: 'ref user', mut: 'R', doc: 'On whose behalf the request runs.' },
      special_objects: { kind: 'struct special_objects', mut: 'R' },
      product_info: { kind: 'struct product_info', mut: 'R' },
      summary: { kind: 'struct api_summary', mut: 'R' },
    },
  },
  api_summary: {
    attributes: {
      vms: { kind: 'struct api_summary_item', mut: 'CU' },
      hosts: { kind: 'struct api_summary_item', mut: 'CU' },
      users: { kind: 'struct api_summary_item', mut: 'CU' },
      storage_domains: { kind: 'struct api_summary_item', mut: 'CU' },
    },
  },
  api_summary_item: {
    attributes: {
      total: { kind: 'int', mut: 'CU' },
      active: { kind: 'int', mut: 'CU' },
    },
  },
  product_info: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      vendor: { kind: 'string', mut: 'CU' },
      version: { kind: 'struct version', mut: 'CU' },
      instance_id: { kind: 'string', mut: 'CU' },
    },
  },
  special_objects: {
    attributes: {
      blank_template: { kind: 'ref template', mut: 'CU' },
      root_tag: { kind: 'ref tag', mut: 'CU' },
    },
  },
  engine_backup_info: {
    attributes: {
      last_engine_backup: { kind: 'date', mut: 'CU' },
      last_db_backup: { kind: 'date', mut: 'CU' },
      last_dwh_backup: { kind: 'date', mut: 'CU' },
      last_cinder_backup: { kind: 'date', mut: 'CU' },
      last_keycloak_backup: { kind: 'date', mut: 'CU' },
      last_grafana_backup: { kind: 'date', mut: 'CU' },
    },
  },
  fault: {
    doc: 'What went wrong, as the service says it.',
    attributes: {
      reason: {
        kind: 'string',
        mut: 'R',
        doc: 'The kind of fault; always the same words for the same kind.',
      },
      detail: { kind: 'string', mut: 'R', doc: 'What exactly was wrong.' },
    },
  },
  option: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      value: { kind: 'string', mut: 'CU' },
      type: { kind: 'string', mut: 'CU' },
    },
  },
  property: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      value: { kind: 'string', mut: 'CU' },
    },
  },
  version: {
    identified: true,
    attributes: {
      major: { kind: 'int', mut: 'CU' },
      minor: { kind: 'int', mut: 'CU' },
      build: { kind: 'int', mut: 'CU' },
      revision: { kind: 'int', mut: 'CU' },
      full_version: { kind: 'string', mut: 'CU' },
    },
  },
  system_option: {
    identified: true,
    attributes: {
      values: { kind: 'list struct system_option_value', mut: 'CU' },
    },
  },
  system_option_value: {
    attributes: {
      value: { kind: 'string', mut: 'CU' },
      version: { kind: 'string', mut: 'CU' },
    },
  },
});
