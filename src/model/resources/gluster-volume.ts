/** Gluster volumes, options and profiles. */
import { crud, ignored, owned } from '../notation/collections.ts';
import { lifecycle } from '../notation/lifecycle.ts';
import { owner, self } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';
import { field, related, step } from '../notation/search-terms.ts';

export const glusterVolumeLifecycle = lifecycle({
  type: 'gluster_volume',
  attribute: 'status',
  initial: 'down',
  settled: ['up', 'down', 'unknown'],
  failed: ['unknown'],
  moves: {
    start: {
      from: ['down'],
      to: 'up',
      refusedBy: { otherwise: 'VOLUME_IS_STARTED' },
    },
    stop: {
      from: ['up'],
      to: 'down',
      refusedBy: { otherwise: 'VOLUME_IS_STOPPED' },
    },
    remove: {
      from: ['down'],
      refusedBy: { otherwise: 'VOLUME_IS_UP' },
    },
  },
});

/** Duration of a rebalance in the simulation, in milliseconds. */
export const volumeTaskDuration = 20_000;

export const glusterVolume = resource('gluster_volume', {
  doc: 'A Gluster volume.',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'C', doc: 'Name, unique in the cluster.' },
    volume_type: { kind: 'enum gluster_volume_type', mut: 'C' },
    transport_types: { kind: 'list enum transport_type', mut: 'C', default: ['tcp'] },
    replica_count: { kind: 'int', mut: 'C', doc: 'Number of copies of each file (default 1).' },
    stripe_count: {
      kind: 'int',
      mut: 'C',
      doc: 'Number of bricks that a file is striped over (default 1).',
    },
    disperse_count: { kind: 'int', mut: 'R', default: 0 },
    redundancy_count: { kind: 'int', mut: 'R', default: 0 },
    options: {
      kind: 'list struct option',
      mut: 'C',
      doc: 'Volume options; changed through actions.',
    },
    status: {
      kind: 'enum gluster_volume_status',
      mut: 'R',
      doc: 'Status; down until the volume is started.',
    },
    bricks: {
      kind: 'links gluster_brick',
      mut: 'C',
      doc: 'Bricks of the volume: server and directory.',
    },
    cluster: { kind: 'ref cluster', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
  },
  naming: { pattern: 'identifier', max: 1000, unique: 'collection' },
  required: ['name', 'volume_type', 'bricks'],
  containedIn: ['cluster'],
  operations: {
    add: { permit: owner('create_gluster_volume'), job: 'Creating Gluster volume {name}' },
    remove: { permit: self('delete_gluster_volume'), job: 'Removing Gluster volume {name}' },
    get_profile_statistics: {
      permit: self('manipulate_gluster_volume'),
      harmless: true,
    },
    rebalance: {
      permit: self('manipulate_gluster_volume'),
      job: 'Rebalancing Gluster volume {name}',
      harmless: true,
    },
    reset_all_options: {
      permit: self('manipulate_gluster_volume'),
      job: 'Resetting the options of Gluster volume {name}',
    },
    reset_option: {
      permit: self('manipulate_gluster_volume'),
      job: 'Resetting an option of Gluster volume {name}',
      required: ['option.name'],
    },
    set_option: {
      permit: self('manipulate_gluster_volume'),
      job: 'Setting an option of Gluster volume {name}',
      harmless: true,
      required: ['option.name', 'option.value'],
    },
    start: {
      permit: self('manipulate_gluster_volume'),
      job: 'Starting Gluster volume {name}',
      harmless: true,
      opposite: 'stop',
    },
    start_profile: {
      permit: self('manipulate_gluster_volume'),
      job: 'Starting to profile Gluster volume {name}',
      harmless: true,
      opposite: 'stop_profile',
    },
    stop: {
      permit: self('manipulate_gluster_volume'),
      job: 'Stopping Gluster volume {name}',
      opposite: 'start',
    },
    stop_profile: {
      permit: self('manipulate_gluster_volume'),
      job: 'Stopping to profile Gluster volume {name}',
      harmless: true,
      opposite: 'start_profile',
    },
    stop_rebalance: {
      permit: self('manipulate_gluster_volume'),
      job: 'Stopping the rebalancing of Gluster volume {name}',
    },
  },
  paths: {
    '/clusters/{cluster}/glustervolumes/{volume}': owned({
      ...crud('get', 'remove'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
      add: ['force'],
      actions: {
        get_profile_statistics: { query: ['nfsStatistics'], body: ['details'] },
        rebalance: [
          'async',
          'fix_layout',
          ignored('force', 'the simulated Gluster has no check that force could override'),
        ],
        reset_all_options: ['async'],
        reset_option: [
          'async',
          ignored('force', 'the simulated Gluster has no check that force could override'),
          'option',
        ],
        set_option: ['async', 'option'],
        start: ['async', 'force'],
        start_profile: ['async'],
        stop: [
          'async',
          ignored('force', 'the simulated Gluster has no check that force could override'),
        ],
        stop_profile: ['async'],
        stop_rebalance: ['async'],
      },
    }),
  },
  statistics: [
    ['memory.total.size', 'gauge', 'bytes', 'integer', 'Total size'],
    ['memory.free.size', 'gauge', 'bytes', 'integer', 'Free size'],
    ['memory.used.size', 'gauge', 'bytes', 'integer', 'Used size'],
  ],
  search: {
    fields: {
      name: field.name,
      type: { kind: 'enum', path: 'volume_type', enum: 'gluster_volume_type' },
      transport_type: { kind: 'enum', path: 'transport_types', enum: 'transport_type' },
      replica_count: { kind: 'number', path: 'replica_count' },
      stripe_count: { kind: 'number', path: 'stripe_count' },
      status: {
        kind: 'enum',
        path: 'status',
        enum: 'gluster_volume_status',
        values: { warning: 'warning' },
      },
    },
    related: [{ ...related.clusters, steps: [step.toCluster] }],
  },
  lifecycle: glusterVolumeLifecycle,
  definition: { writtenAt: ['/clusters/{cluster}/glustervolumes'] },
  commands: {
    noun: 'glustervolumes',
    aliases: ['volumes', 'gv'],
    group: 'gluster',
    doc: 'Gluster volumes',
    one: 'Gluster volume',
    columns: ['name', 'volume_type', 'status', 'replica_count', 'id'],
    verbs: {
      create: {
        sample: { flags: '--name vol2 --volume-type distribute --bricks node2:/bricks/v2' },
      },
      'get-profile-statistics': { aliases: ['profile'] },
      'reset-option': {
        argument: { name: 'name', paths: ['option.name'], doc: 'Option of the volume' },
      },
      'set-option': {
        argument: {
          name: 'name=value',
          paths: ['option.name', 'option.value'],
          doc: 'Option and value of the volume',
        },
      },
    },
    samples: { object: 'vol1', newName: 'vol2', state: 'up' },
  },
});

export const glusterVolumeProfileDetails = structure('gluster_volume_profile_details', {
  identified: true,
  attributes: {
    brick_profile_details: { kind: 'list struct brick_profile_detail', mut: 'CU' },
    nfs_profile_details: { kind: 'list struct nfs_profile_detail', mut: 'CU' },
  },
});

export const entityProfileDetail = structure('entity_profile_detail', {
  attributes: {
    profile_details: { kind: 'list struct profile_detail', mut: 'CU' },
  },
});

export const profileDetail = structure('profile_detail', {
  attributes: {
    profile_type: { kind: 'string', mut: 'CU' },
    duration: { kind: 'int', mut: 'CU' },
    statistics: { kind: 'list struct statistic', mut: 'CU' },
    block_statistics: { kind: 'list struct block_statistic', mut: 'CU' },
    fop_statistics: { kind: 'list struct fop_statistic', mut: 'CU' },
  },
});

export const blockStatistic = structure('block_statistic', {
  attributes: {
    statistics: { kind: 'list struct statistic', mut: 'CU' },
  },
});

export const fopStatistic = structure('fop_statistic', {
  attributes: {
    name: { kind: 'string', mut: 'CU' },
    statistics: { kind: 'list struct statistic', mut: 'CU' },
  },
});

export const brickProfileDetail = structure('brick_profile_detail', {
  base: 'entity_profile_detail',
  attributes: {
    brick: { kind: 'ref gluster_brick', mut: 'CU' },
  },
});

export const nfsProfileDetail = structure('nfs_profile_detail', {
  base: 'entity_profile_detail',
  attributes: {
    nfs_server_ip: { kind: 'string', mut: 'CU' },
  },
});
