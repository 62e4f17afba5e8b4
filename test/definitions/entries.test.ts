/** Order and dependencies of the objects of a definition. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDefinition } from '../../src/definitions/document.ts';
import { listDefinitionEntries } from '../../src/definitions/entries.ts';
import { jsonPlace } from '../../src/source-place.ts';

const ordered = (text: string) =>
  listDefinitionEntries(readDefinition(parse(text), jsonPlace('text', '{}')));
const labels = (text: string) => ordered(text).map(({ label }) => label);

describe('entries of a definition', () => {
  it('follow their dependencies of any kind', () => {
    expect(
      labels(`
vms:
  - { name: second, cluster: c, template: t }
  - { name: first, cluster: c }
templates: [{ name: t, vm: first }]
`),
    ).toEqual(['vms/first', 'templates/t', 'vms/second']);
  });

  it('attach a storage domain before its contents, and data domains before ISO domains', () => {
    const found = labels(`
disks: [{ name: d, storage_domains: [data] }]
datacenters: [{ name: dc, storagedomains: [iso, data] }]
storagedomains:
  - { name: iso, type: iso, host: h }
  - { name: data, host: h }
hosts: [{ name: h, cluster: c }]
clusters: [{ name: c, data_center: dc }]
`);
    expect(found).toEqual([
      'datacenters/dc',
      'clusters/c',
      'hosts/h',
      'storagedomains/iso',
      'storagedomains/data',
      'datacenters/dc/storagedomains/data',
      'datacenters/dc/storagedomains/iso',
      'disks/d',
    ]);
  });

  it('resolve a name in the scope of the reference', () => {
    const all = ordered(`
networks: [{ name: n, data_center: a }, { name: n, data_center: b }]
datacenters: [{ name: a }, { name: b }]
clusters: [{ name: c, data_center: b, networks: [n] }]
`);
    const attached = all.find(({ label }) => label === 'clusters/c/networks/n');
    const needs = [...(attached?.needs ?? [])].map(({ where }) => where.path());
    expect(needs).toContain('networks[1]');
    expect(needs).not.toContain('networks[0]');
  });

  it('distinguish versions of a template', () => {
    const all = ordered(`
vms: [{ name: v, template: { name: t, version: { version_name: two } } }, { name: w, template: t }]
templates:
  - { name: t, version: { version_name: two, base_template: t } }
  - { name: t }
`);
    const needs = (label: string) =>
      [...(all.find((one) => one.label === label)?.needs ?? [])].map(({ where }) => where.path());
    expect([needs('vms/v'), needs('vms/w')]).toEqual([['templates[0]'], ['templates[1]']]);
  });

  it('with circular dependencies are refused', () => {
    expect(() => labels('tags: [{ name: a, parent: b }, { name: b, parent: a }]')).toThrow(
      'tags[0]: circular dependency: tags/a, which needs tags/b, which needs tags/a',
    );
  });

  it('have secrets only in texts', () => {
    expect(() => labels('vms: [{ name: v, memory: { secret: x } }]')).toThrow(
      'vms[0].memory: only strings can be secrets',
    );
  });
});
