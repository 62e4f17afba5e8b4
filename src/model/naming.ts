/** Which names objects may have, and among which objects a name is unique (specification 2.2). */

export type NamePattern = 'letters' | 'masked' | 'identifier' | 'dotted' | 'any';

export interface Naming {
  readonly pattern: NamePattern;
  /** Longest name, in characters. */
  readonly max: number;
  /**
   * Where a name is unique: in the whole service, in the collection, among objects with the same
   * value of an attribute (`cluster.data_center`), or nowhere.
   */
  readonly unique: 'service' | 'collection' | 'nowhere' | { readonly within: string };
}

/** What each pattern allows, in words and as a test of the whole name. */
export const namePatterns: Readonly<Record<NamePattern, { test: RegExp; rule: string }>> = {
  letters: {
    test: /^[\p{L}\p{N}._+-]+$/u,
    rule: 'only letters, digits, ".", "_", "-" and "+" are allowed',
  },
  masked: {
    test: /^[\p{L}\p{N}._+-]*\?*[\p{L}\p{N}._+-]*$/u,
    rule: 'only letters, digits, ".", "_", "-" and "+" are allowed, and one run of "?"',
  },
  identifier: {
    test: /^[A-Za-z0-9_-]+$/,
    rule: 'only ASCII letters, digits, "_" and "-" are allowed',
  },
  dotted: {
    test: /^[A-Za-z0-9._-]+$/,
    rule: 'only ASCII letters, digits, ".", "_" and "-" are allowed',
  },
  any: { test: /^[^\p{Cc}]+$/u, rule: 'it must not be empty or hold control characters' },
};

export const naming: Readonly<Record<string, Naming>> = {
  data_center: { pattern: 'identifier', max: 40, unique: 'service' },
  cluster: { pattern: 'letters', max: 40, unique: 'service' },
  host: { pattern: 'dotted', max: 255, unique: 'service' },
  vm: { pattern: 'letters', max: 64, unique: 'service' },
  template: { pattern: 'letters', max: 255, unique: 'nowhere' },
  instance_type: { pattern: 'letters', max: 255, unique: 'service' },
  vm_pool: { pattern: 'masked', max: 255, unique: 'service' },
  storage_domain: { pattern: 'identifier', max: 50, unique: 'service' },
  disk: { pattern: 'any', max: 255, unique: 'nowhere' },
  network: { pattern: 'any', max: 256, unique: { within: 'data_center' } },
  vnic_profile: { pattern: 'letters', max: 50, unique: { within: 'network' } },
  nic: { pattern: 'letters', max: 50, unique: 'collection' },
  mac_pool: { pattern: 'any', max: 40, unique: 'service' },
  quota: { pattern: 'identifier', max: 65, unique: 'collection' },
  // Names are unique among those of a type.
  qos: { pattern: 'identifier', max: 50, unique: 'nowhere' },
  cpu_profile: { pattern: 'letters', max: 50, unique: { within: 'cluster' } },
  disk_profile: { pattern: 'letters', max: 50, unique: { within: 'storage_domain' } },
  iscsi_bond: { pattern: 'letters', max: 50, unique: 'collection' },
  // A name that is taken is refused by the rules of the groups, with a status of its own.
  affinity_group: { pattern: 'letters', max: 255, unique: 'nowhere' },
  affinity_label: { pattern: 'letters', max: 50, unique: 'service' },
  tag: { pattern: 'letters', max: 50, unique: 'service' },
  bookmark: { pattern: 'any', max: 40, unique: 'service' },
  role: { pattern: 'letters', max: 126, unique: 'service' },
  scheduling_policy: { pattern: 'any', max: 128, unique: 'service' },
  gluster_volume: { pattern: 'identifier', max: 1000, unique: 'collection' },
  external_host_provider: { pattern: 'identifier', max: 128, unique: 'service' },
  openstack_image_provider: { pattern: 'identifier', max: 128, unique: 'service' },
  openstack_network_provider: { pattern: 'identifier', max: 128, unique: 'service' },
  openstack_volume_provider: { pattern: 'identifier', max: 128, unique: 'service' },
};

/** The attribute that tells objects of the same name apart: `data_center` of networks. */
export function scopeOf(type: string): string | undefined {
  const unique = naming[type]?.unique;
  return typeof unique === 'object' ? unique.within : undefined;
}
