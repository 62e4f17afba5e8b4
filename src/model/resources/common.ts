/** Structures that resources share: versions, options, properties, faults. */
import { structure } from '../notation/resource.ts';

export const version = structure('version', {
  identified: true,
  attributes: {
    major: { kind: 'int', mut: 'CU' },
    minor: { kind: 'int', mut: 'CU' },
    build: { kind: 'int', mut: 'CU' },
    revision: { kind: 'int', mut: 'CU' },
    full_version: { kind: 'string', mut: 'CU' },
  },
});

export const option = structure('option', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    value: { kind: 'string', mut: 'CU' },
    type: { kind: 'string', mut: 'CU' },
  },
});

export const property = structure('property', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    value: { kind: 'string', mut: 'CU' },
  },
});

export const fault = structure('fault', {
  doc: 'A problem that the service reports.',
  attributes: {
    reason: {
      kind: 'string',
      mut: 'R',
      doc: 'The kind of fault; constant for each kind.',
    },
    detail: { kind: 'string', mut: 'R', doc: 'The details of the problem.' },
  },
});

export const customProperty = structure('custom_property', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    value: { kind: 'string', mut: 'CU' },
    regexp: { kind: 'string', mut: 'CU' },
  },
});

export const method = structure('method', {
  attributes: {
    id: { kind: 'enum sso_method', mut: 'CU' },
  },
});

export const errorHandling = structure('error_handling', {
  attributes: {
    on_error: { kind: 'enum migrate_on_error', mut: 'CU' },
  },
});

export const rate = structure('rate', {
  attributes: {
    bytes: { kind: 'int', mut: 'CU' },
    period: { kind: 'int', mut: 'CU' },
  },
});

export const ticket = structure('ticket', {
  attributes: {
    value: { kind: 'string', mut: 'CU', confidential: true },
    expiry: { kind: 'int', mut: 'CU' },
  },
});
