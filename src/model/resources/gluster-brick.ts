/** Bricks of a Gluster volume. */
import { crud, ignored, owned } from '../notation/collections.ts';
import { owner } from '../notation/permits.ts';
import { resource, structure } from '../notation/resource.ts';

export const glusterBrick = resource('gluster_brick', {
  doc: 'A brick of a Gluster volume.',
  tag: 'brick',
  plural: 'bricks',
  identified: true,
  attributes: {
    name: { kind: 'string', mut: 'R', doc: 'Address of the host and directory.' },
    server_id: { kind: 'string', mut: 'C', identifiedType: 'host', doc: 'Host by id.' },
    brick_dir: { kind: 'string', mut: 'C', doc: 'Absolute path of the directory.' },
    port: { kind: 'int', mut: 'R' },
    pid: { kind: 'int', mut: 'R' },
    device: { kind: 'string', mut: 'R' },
    mnt_options: { kind: 'string', mut: 'R' },
    fs_name: { kind: 'string', mut: 'R' },
    gluster_clients: { kind: 'list struct gluster_client', mut: 'R' },
    memory_pools: { kind: 'list struct gluster_memory_pool', mut: 'R' },
    status: { kind: 'enum gluster_brick_status', mut: 'R' },
    gluster_volume: { kind: 'ref gluster_volume', mut: 'R' },
    statistics: { kind: 'links statistic', mut: 'R' },
  },
  required: ['server_id', 'brick_dir'],
  operations: {
    add: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Adding bricks to Gluster volume {owner}',
    },
    remove: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Removing bricks from Gluster volume {owner}',
    },
    activate: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Keeping bricks of Gluster volume {owner}',
      harmless: true,
      required: ['bricks'],
    },
    migrate: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Migrating the data of bricks of Gluster volume {owner}',
      required: ['bricks'],
    },
    replace: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Replacing a brick of Gluster volume {owner}',
    },
    stop_migrate: {
      permit: owner('manipulate_gluster_volume'),
      job: 'Stopping the migration of bricks of Gluster volume {owner}',
      required: ['bricks'],
    },
  },
  paths: {
    '/clusters/{cluster}/glustervolumes/{volume}/glusterbricks/{brick}': owned({
      ...crud('list', 'get', 'remove'),
      add: {
        query: [
          ignored('force', 'no check exists that force could override'),
          'replica_count',
          'stripe_count',
        ],
        bodyIsList: true,
      },
      removeMany: { query: ['async', 'replica_count'], body: ['bricks'] },
      actions: {
        replace: [
          'async',
          ignored('force', 'the simulated Gluster has no check that force could override'),
        ],
      },
      collectionActions: {
        activate: ['async', 'bricks'],
        migrate: ['async', 'bricks'],
        stop_migrate: ['async', 'bricks'],
      },
    }),
  },
  statistics: [
    ['memory.total.size', 'gauge', 'bytes', 'integer', 'Total size'],
    ['memory.free.size', 'gauge', 'bytes', 'integer', 'Free size'],
    ['memory.block.size', 'gauge', 'bytes', 'integer', 'Block size'],
    ['malloc.arena', 'gauge', 'bytes', 'integer', 'Memory allocated, not by mmap'],
    ['malloc.ordblks', 'counter', 'none', 'integer', 'Free blocks'],
    ['malloc.smblks', 'counter', 'none', 'integer', 'Free fast-bin blocks'],
    ['malloc.hblks', 'counter', 'none', 'integer', 'Blocks allocated by mmap'],
    ['malloc.hblkhd', 'gauge', 'bytes', 'integer', 'Memory allocated by mmap'],
    ['malloc.usmblks', 'gauge', 'bytes', 'integer', 'Maximum memory allocated'],
    ['malloc.fsmblks', 'gauge', 'bytes', 'integer', 'Memory in free fast-bin blocks'],
    ['malloc.uordblks', 'gauge', 'bytes', 'integer', 'Memory in use'],
    ['malloc.fordblks', 'gauge', 'bytes', 'integer', 'Free memory'],
    ['malloc.keepcost', 'gauge', 'bytes', 'integer', 'Memory that can be released'],
  ],
  search: {
    // The order of creation determines which bricks replicate each other.
    order: [],
  },
  definition: { leftOut: 'bricks are exported with their volume' },
  commands: {
    noun: 'glusterbricks',
    aliases: ['bricks'],
    group: 'gluster',
    doc: 'Bricks of a volume',
    one: 'brick',
    columns: ['name', 'status', 'server_id', 'brick_dir', 'id'],
    verbs: {
      activate: {
        takesBricks: true,
        purpose: 'Reactivate bricks after a migration without removal',
      },
      create: { takesBricks: true, sample: { flags: '' } },
      delete: { sample: { flags: '--bricks node1.example.com:/bricks/b1' } },
      migrate: { takesBricks: true, purpose: 'Move data off bricks before their removal' },
      'stop-migrate': { takesBricks: true },
    },
    samples: { object: 'node1.example.com:/bricks/b1' },
  },
});

export const glusterBrickAdvancedDetails = structure('gluster_brick_advanced_details', {
  base: 'device',
  attributes: {
    port: { kind: 'int', mut: 'CU' },
    pid: { kind: 'int', mut: 'CU' },
    device: { kind: 'string', mut: 'CU' },
    mnt_options: { kind: 'string', mut: 'CU' },
    fs_name: { kind: 'string', mut: 'CU' },
    gluster_clients: { kind: 'list struct gluster_client', mut: 'CU' },
    memory_pools: { kind: 'list struct gluster_memory_pool', mut: 'CU' },
  },
});

export const glusterBrickMemoryInfo = structure('gluster_brick_memory_info', {
  tag: 'brick_memoryinfo',
  attributes: {
    memory_pools: { kind: 'list struct gluster_memory_pool', mut: 'CU' },
  },
});

export const glusterClient = structure('gluster_client', {
  attributes: {
    host_name: { kind: 'string', mut: 'CU' },
    client_port: { kind: 'int', mut: 'CU' },
    bytes_read: { kind: 'long', unit: 'bytes', mut: 'CU' },
    bytes_written: { kind: 'long', unit: 'bytes', mut: 'CU' },
  },
});

export const glusterMemoryPool = structure('gluster_memory_pool', {
  tag: 'memory_pool',
  plural: 'memory_pools',
  identified: true,
  attributes: {
    type: { kind: 'string', mut: 'CU' },
    hot_count: { kind: 'int', mut: 'CU' },
    cold_count: { kind: 'int', mut: 'CU' },
    padded_size: { kind: 'long', unit: 'bytes', mut: 'CU' },
    alloc_count: { kind: 'int', mut: 'CU' },
    max_alloc: { kind: 'int', mut: 'CU' },
    pool_misses: { kind: 'int', mut: 'CU' },
    max_stdalloc: { kind: 'int', mut: 'CU' },
  },
});
