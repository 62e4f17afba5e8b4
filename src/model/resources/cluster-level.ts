/** Compatibility levels of clusters, and the features that they offer. */
import { crud, idOrName, owned } from '../notation/collections.ts';
import { superUser } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const clusterLevel = resource('cluster_level', {
  doc: 'A compatibility level; its id is major.minor.',
  identified: true,
  attributes: {
    cpu_types: {
      kind: 'list struct cpu_type',
      mut: 'R',
      doc: 'CPU types, for administrators only.',
    },
    permits: { kind: 'list struct permit', mut: 'R', doc: 'All permits of this level.' },
    cluster_features: { kind: 'links cluster_feature', mut: 'R' },
  },
  paths: { '/clusterlevels/{level}': owned({ list: ['follow'], get: ['follow'] }) },
  commands: {
    noun: 'clusterlevels',
    aliases: ['levels'],
    group: 'compute',
    doc: 'Cluster compatibility levels',
    one: 'cluster level',
    columns: ['id'],
    samples: { object: '4.7' },
  },
});

export const clusterFeature = resource('cluster_feature', {
  identified: true,
  unwritten: ['name', 'description', 'comment', 'cluster_level'],
  attributes: {
    cluster_level: { kind: 'ref cluster_level', mut: 'CU' },
  },
  required: [idOrName],
  operations: {
    add: { permit: superUser },
    remove: { permit: superUser },
  },
  paths: {
    '/clusters/{cluster}/enabledfeatures/{feature}': owned({
      ...crud('add', 'get'),
      list: ['follow'],
      remove: [],
    }),
    '/clusterlevels/{level}/clusterfeatures/{feature}': owned({
      list: ['follow'],
      get: ['follow'],
    }),
  },
  definition: { writtenAt: ['/clusters/{cluster}/enabledfeatures'] },
  commands: {
    noun: 'clusterfeatures',
    group: 'compute',
    position: 140,
    more: true,
    doc: 'Features of a compatibility level',
    otherNouns: [
      {
        noun: 'enabledfeatures',
        group: 'compute',
        position: 150,
        more: true,
        doc: 'Features enabled in a cluster',
        one: 'enabled feature',
        verbs: { create: { sample: { flags: '--name NESTED_VIRTUALIZATION' } } },
      },
    ],
  },
});

export const cpuType = structure('cpu_type', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    level: { kind: 'int', mut: 'CU' },
    architecture: { kind: 'enum architecture', mut: 'CU' },
  },
});
