/** Types of the gluster family (specification 2.4). */
import { types } from '../notation.ts';

export const glusterTypes = types({
  gluster_volume: {
    doc: 'A Gluster volume.',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'C', doc: 'Unique in the cluster.' },
      volume_type: { kind: 'enum gluster_volume_type', mut: 'C' },
      transport_types: { kind: 'list enum transport_type', mut: 'C', default: ['tcp'] },
      replica_count: { kind: 'int', mut: 'C', doc: 'Copies of each file; 1 when not replicated.' },
      stripe_count: {
        kind: 'int',
        mut: 'C',
        doc: 'Bricks a file is cut over; 1 when not striped.',
      },
      disperse_count: { kind: 'int', mut: 'R', default: 0 },
      redundancy_count: { kind: 'int', mut: 'R', default: 0 },
      options: {
        kind: 'list struct option',
        mut: 'C',
        doc: 'Settings; changed later through actions.',
      },
      status: { kind: 'enum gluster_volume_status', mut: 'R', doc: 'down until it is started.' },
      bricks: {
        kind: 'links gluster_brick',
        mut: 'C',
        doc: 'Where its data lies: server and directory of each.',
      },
      cluster: { kind: 'ref cluster', mut: 'R' },
      statistics: { kind: 'links statistic', mut: 'R' },
    },
  },
  gluster_brick: {
    doc: 'A brick of a Gluster volume.',
    tag: 'brick',
    plural: 'bricks',
    identified: true,
    attributes: {
      name: { kind: 'string', mut: 'R', doc: 'Address of the host and directory.' },
      server_id: { kind: 'string', mut: 'C', doc: 'The host, by id.' },
      brick_dir: { kind: 'string', mut: 'C', doc: 'An absolute path.' },
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
  },
  gluster_brick_advanced_details: {
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
  },
  gluster_brick_memory_info: {
    tag: 'brick_memoryinfo',
    attributes: {
      memory_pools: { kind: 'list struct gluster_memory_pool', mut: 'CU' },
    },
  },
  gluster_client: {
    attributes: {
      host_name: { kind: 'string', mut: 'CU' },
      client_port: { kind: 'int', mut: 'CU' },
      bytes_read: { kind: 'long', mut: 'CU' },
      bytes_written: { kind: 'long', mut: 'CU' },
    },
  },
  gluster_memory_pool: {
    tag: 'memory_pool',
    plural: 'memory_pools',
    identified: true,
    attributes: {
      type: { kind: 'string', mut: 'CU' },
      hot_count: { kind: 'int', mut: 'CU' },
      cold_count: { kind: 'int', mut: 'CU' },
      padded_size: { kind: 'long', mut: 'CU' },
      alloc_count: { kind: 'int', mut: 'CU' },
      max_alloc: { kind: 'int', mut: 'CU' },
      pool_misses: { kind: 'int', mut: 'CU' },
      max_stdalloc: { kind: 'int', mut: 'CU' },
    },
  },
  gluster_hook: {
    doc: 'A script that Gluster runs around a volume command.',
    identified: true,
    attributes: {
      conflict_status: {
        kind: 'int',
        mut: 'R',
        doc: 'What differs between servers: 1 content, 2 status, 4 missing; added up.',
      },
      conflicts: {
        kind: 'string',
        mut: 'R',
        doc: 'The same in words: MISSING_HOOK, CONTENT_CONFLICT, STATUS_CONFLICT.',
      },
      name: { kind: 'string', mut: 'R' },
      gluster_command: { kind: 'string', mut: 'R' },
      checksum: { kind: 'string', mut: 'R' },
      content: { kind: 'string', mut: 'R' },
      stage: { kind: 'enum hook_stage', mut: 'R' },
      content_type: { kind: 'enum hook_content_type', mut: 'R' },
      status: { kind: 'enum gluster_hook_status', mut: 'R' },
      cluster: { kind: 'ref cluster', mut: 'R' },
      server_hooks: { kind: 'links gluster_server_hook', mut: 'R' },
    },
  },
  gluster_server_hook: {
    tag: 'server_hook',
    plural: 'server_hooks',
    identified: true,
    attributes: {
      content_type: { kind: 'enum hook_content_type', mut: 'CU' },
      status: { kind: 'enum gluster_hook_status', mut: 'CU' },
      checksum: { kind: 'string', mut: 'CU' },
      host: { kind: 'ref host', mut: 'CU' },
    },
  },
  gluster_volume_profile_details: {
    identified: true,
    attributes: {
      brick_profile_details: { kind: 'list struct brick_profile_detail', mut: 'CU' },
      nfs_profile_details: { kind: 'list struct nfs_profile_detail', mut: 'CU' },
    },
  },
  entity_profile_detail: {
    attributes: {
      profile_details: { kind: 'list struct profile_detail', mut: 'CU' },
    },
  },
  brick_profile_detail: {
    base: 'entity_profile_detail',
    attributes: {
      brick: { kind: 'ref gluster_brick', mut: 'CU' },
    },
  },
  nfs_profile_detail: {
    base: 'entity_profile_detail',
    attributes: {
      nfs_server_ip: { kind: 'string', mut: 'CU' },
    },
  },
  profile_detail: {
    attributes: {
      profile_type: { kind: 'string', mut: 'CU' },
      duration: { kind: 'int', mut: 'CU' },
      statistics: { kind: 'list struct statistic', mut: 'CU' },
      block_statistics: { kind: 'list struct block_statistic', mut: 'CU' },
      fop_statistics: { kind: 'list struct fop_statistic', mut: 'CU' },
    },
  },
  block_statistic: {
    attributes: {
      statistics: { kind: 'list struct statistic', mut: 'CU' },
    },
  },
  fop_statistic: {
    attributes: {
      name: { kind: 'string', mut: 'CU' },
      statistics: { kind: 'list struct statistic', mut: 'CU' },
    },
  },
});
