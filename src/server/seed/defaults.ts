/** Default objects of every new service. */

import { type PermitName, permits } from '../../model/notation/permit-names.ts';
import { operatingSystems } from '../../model/operating-systems.ts';
import type { Resource } from '../../model/resource.ts';
import { everyone } from '../../model/resources/group.ts';
import { splitUserName } from '../auth/permissions.ts';
import type { RuleContext } from '../core/context.ts';
import { addDefaultIcons, getListedIcons } from '../core/icons.ts';
import { applyDefaults } from '../core/input.ts';
import { namedId } from '../core/random.ts';
import { furnishDataCenter } from '../inventory/data-center.ts';
import { grantRole } from '../inventory/grants.ts';
import { fillConfiguration, fillInstanceType } from '../inventory/vm-configuration.ts';
import { clusterLevels, levelsAsListed } from '../reference-data/cluster-levels.ts';
import { defaultIds, zeroId } from '../reference-data/default-ids.ts';
import { minimalDowntime } from '../reference-data/migration-policies.ts';
import { roles } from '../reference-data/roles.ts';
import {
  listPolicyWeights,
  policyFilters,
  propertyPatterns,
  schedulingPolicies,
  schedulingUnits,
} from '../reference-data/scheduling.ts';
import { fillCluster, furnishCluster } from '../resources/cluster.ts';
import { fillDirectory, formatDirectoryId } from '../resources/identity.ts';
import { formatConsoleId } from '../resources/vm/console.ts';
import type { StoredObject } from '../store/kinds.ts';

const mebibyte = 2 ** 20;

/** Fills an empty store. `admin` is the login name of the administrator: `admin@internal`. */
export function fillDefaults(ctx: RuleContext, admin: string): void {
  addIdentity(ctx, admin);
  addPolicies(ctx);
  addCatalogues(ctx);
  addDefaultSite(ctx);
  addTemplates(ctx);
  addPermissions(ctx);
}

function addIdentity(ctx: RuleContext, admin: string): void {
  const { tx } = ctx;
  for (const role of roles) {
    tx.insert('role', '/roles', {
      id: role.id,
      name: role.name,
      description: role.description,
      mutable: false,
      administrative: role.administrative,
      permits: role.permits.map((name) => ({ id: permitId(name) })),
      views_children: role.viewsChildren,
    });
  }
  for (const permit of permits) tx.insert('permit', '/permits', { ...permit });
  const parts = splitUserName(admin);
  if (!parts) throw new Error(`"${admin}" is not a user name of the form USER@DOMAIN.`);
  const profile = `${parts.profile}-authz`;
  const domain = formatDirectoryId(profile);
  tx.insert('domain', '/domains', { id: domain, name: profile });
  fillDirectory(ctx, domain, profile);
  tx.insert('group', '/groups', {
    id: everyone,
    name: 'Everyone',
    namespace: '*',
    domain_entry_id: formatDirectoryId(everyone),
  });
  tx.insert('user', '/users', {
    id: defaultIds.admin,
    name: parts.login,
    user_name: `${parts.login}@${profile}`,
    principal: parts.login,
    namespace: '*',
    domain: { id: domain },
    domain_entry_id: formatDirectoryId(defaultIds.admin),
    department: '',
    email: `${parts.login}@localhost`,
    last_name: '',
  });
  tx.insert('tag', '/tags', { id: zeroId, name: 'root', description: 'root' });
}

const permitIds = new Map(permits.map(({ id, name }) => [name, id]));

function permitId(name: PermitName): string {
  return permitIds.get(name) ?? '';
}

function addPolicies({ tx }: RuleContext): void {
  const units = new Map<string, string>();
  for (const { properties, ...unit } of schedulingUnits) {
    units.set(`${unit.type} ${unit.name}`, unit.id);
    tx.insert('scheduling_policy_unit', '/schedulingpolicyunits', {
      ...unit,
      internal: true,
      enabled: true,
      ...(properties && {
        properties: properties.map((name) => ({ name, value: propertyPatterns[name] })),
      }),
    });
  }
  for (const policy of schedulingPolicies) {
    tx.insert('scheduling_policy', '/schedulingpolicies', {
      id: policy.id,
      name: policy.name,
      locked: true,
      default_policy: policy.name === 'none',
      properties: Object.entries(policy.properties).map(([name, value]) => ({ name, value })),
    });
    const below = `/schedulingpolicies/${policy.id}`;
    policyFilters.forEach((name, index) => {
      const id = units.get(`filter ${name}`);
      const last = index === policyFilters.length - 1;
      if (!id) return;
      tx.insert('filter', `${below}/filters`, {
        id,
        name,
        position: index === 0 ? -1 : last ? 1 : 0,
        scheduling_policy_unit: { id },
      });
    });
    for (const [name, factor] of listPolicyWeights(policy.name)) {
      const id = units.get(`weight ${name}`);
      if (!id) continue;
      tx.insert('weight', `${below}/weights`, {
        id,
        name,
        factor,
        scheduling_policy_unit: { id },
      });
    }
    const balance = units.get(`load_balancing ${policy.balance}`);
    if (balance) {
      tx.insert('balance', `${below}/balances`, {
        id: balance,
        name: policy.balance,
        scheduling_policy_unit: { id: balance },
      });
    }
  }
}

const filterNames = [
  'vdsm-no-mac-spoofing',
  'allow-arp',
  'allow-dhcp',
  'allow-incoming-ipv4',
  'allow-ipv4',
  'clean-traffic',
  'no-arp-ip-spoofing',
  'no-arp-mac-spoofing',
  'no-arp-spoofing',
  'no-ip-multicast',
  'no-ip-spoofing',
  'no-mac-broadcast',
  'no-mac-spoofing',
  'no-other-l2-traffic',
  'no-other-rarp-traffic',
  'qemu-announce-self',
  'qemu-announce-self-rarp',
  'clean-traffic-gateway',
];

function addCatalogues(ctx: RuleContext): void {
  const { tx } = ctx;
  for (const level of levelsAsListed) {
    tx.insert('cluster_level', '/clusterlevels', {
      id: level,
      cpu_types: (clusterLevels[level] ?? []).map((type) => ({ ...type })),
      permits: permits.map((permit) => ({ ...permit })),
    });
    if (level !== '4.8') continue;
    tx.insert('cluster_feature', `/clusterlevels/${level}/clusterfeatures`, {
      id: namedId('cluster feature', level),
      name: 'NESTED_VIRTUALIZATION',
      description: 'Nested virtualization for VMs.',
      cluster_level: { id: level },
    });
  }
  addDefaultIcons(tx);
  for (const [id, name, description, architecture, tpm_support] of operatingSystems) {
    tx.insert('operating_system_info', '/operatingsystems', {
      id,
      name,
      description,
      architecture,
      tpm_support,
      ...getListedIcons(name),
    });
  }
  for (const name of filterNames) {
    const spoofing = name === 'vdsm-no-mac-spoofing';
    const [major, minor] = spoofing ? [3, 2] : name === 'clean-traffic-gateway' ? [4, 2] : [3, 6];
    tx.insert('network_filter', '/networkfilters', {
      id: spoofing ? 'd2370ab4-fee3-11e9-a310-8c1645ce738e' : namedId(`networkfilter ${name}`),
      name,
      version: { major, minor },
    });
  }
  tx.insert('mac_pool', '/macpools', {
    id: defaultIds.macPool,
    name: 'Default',
    description: 'Default MAC pool',
    default_pool: true,
    allow_duplicates: false,
    ranges: [{ from: '56:6f:1a:16:00:00', to: '56:6f:1a:16:ff:ff' }],
  });
}

function addDefaultSite(ctx: RuleContext): void {
  const { tx } = ctx;
  const owner = { id: defaultIds.dataCenter };
  const dataCenter = {
    id: defaultIds.dataCenter,
    name: 'Default',
    description: 'The default Data Center',
    local: false,
    quota_mode: 'disabled',
    status: 'uninitialized',
    version: { major: 4, minor: 8 },
  } as const;
  tx.insert('data_center', '/datacenters', dataCenter);
  furnishDataCenter(ctx, dataCenter, {
    network: defaultIds.network,
    vnicProfile: defaultIds.vnicProfile,
    permission: defaultIds.vnicProfilePermission,
  });
  const cluster: StoredObject = {
    id: defaultIds.cluster,
    name: 'Default',
    description: 'The default server cluster',
    data_center: owner,
    version: { major: 4, minor: 8 },
    vnc_encryption: false,
    cpu: { type: '' },
    migration: { policy: { id: minimalDowntime } },
  };
  fillCluster(ctx, cluster);
  // The first cluster of an engine has none.
  delete cluster['custom_scheduling_policy_properties'];
  applyDefaults('cluster', cluster);
  tx.insert('cluster', '/clusters', cluster);
  furnishCluster(ctx, cluster);
}

function addTemplates(ctx: RuleContext): void {
  const { tx } = ctx;
  const blank: Resource<'template'> = {
    id: zeroId,
    name: 'Blank',
    description: 'Blank template',
    status: 'ok',
    version: { version_number: 0, version_name: '' },
    creation_time: '2008-03-31T21:00:00.000Z',
  };
  fillConfiguration(ctx, blank, undefined, {});
  // The time zone is unset until the first change; VMs use that of their system.
  delete blank.time_zone;
  applyDefaults('template', blank);
  // VMs use the firmware of their cluster.
  delete blank.bios?.type;
  tx.insert('template', '/templates', blank);
  if (ctx.site.dialect.engineAnswers) {
    const template = { id: zeroId };
    tx.insert('cdrom', `/templates/${zeroId}/cdroms`, { id: zeroId, template });
    const protocol = 'vnc';
    const console = { id: formatConsoleId(protocol), protocol, template } as const;
    tx.insert('graphics_console', `/templates/${zeroId}/graphicsconsoles`, console);
  }
  const sizes = [
    ['Tiny', 'Tiny', defaultIds.instanceTypes.tiny, 512, 1],
    ['Small', 'Small', defaultIds.instanceTypes.small, 2048, 1],
    ['Medium', 'Medium', defaultIds.instanceTypes.medium, 4096, 2],
    ['Large', 'Large', defaultIds.instanceTypes.large, 8192, 2],
    ['XLarge', 'Extra Large', defaultIds.instanceTypes.extraLarge, 16384, 4],
  ] as const;
  for (const [name, size, { id }, memory, sockets] of sizes) {
    const type: Resource<'instance_type'> = {
      id,
      name,
      description: `${size} instance type`,
      creation_time: '2014-05-04T21:00:00.000Z',
      memory: memory * mebibyte,
      cpu: { topology: { sockets, cores: 1, threads: 1 } },
      io: { threads: 0 },
      display: { type: 'spice', video_type: 'vga' },
    };
    fillInstanceType(ctx, type);
    tx.insert('instance_type', '/instancetypes', type);
    for (const protocol of ['spice', 'vnc'] as const) {
      tx.insert('graphics_console', `/instancetypes/${id}/graphicsconsoles`, {
        id: formatConsoleId(protocol),
        protocol,
        instance_type: { id },
      });
    }
  }
}

function addPermissions(ctx: RuleContext): void {
  grantRole(ctx, 'SuperUser', { user: { id: defaultIds.admin } });
  grantRole(ctx, 'UserProfileEditor', { group: { id: everyone } });
  const group = { id: everyone };
  const { blankPermission, macPool } = defaultIds;
  grantRole(
    ctx,
    'UserTemplateBasedVm',
    { group, template: { id: zeroId } },
    undefined,
    blankPermission,
  );
  if (!ctx.site.dialect.engineAnswers) return;
  // The permission has the same id as the pool.
  grantRole(ctx, 'MacPoolUser', { group }, `/macpools/${macPool}`, macPool);
  for (const { id, permission } of Object.values(defaultIds.instanceTypes)) {
    grantRole(ctx, 'UserTemplateBasedVm', { group, template: { id } }, undefined, permission);
  }
}
