// Initial content of an engine: the constant collections and the default objects with all their
// links.
import { first, named } from '../lib/session.mjs';

export default function define(s) {
  for (const name of [
    'affinitylabels',
    'bookmarks',
    'clusterlevels',
    'clusters',
    'cpuprofiles',
    'datacenters',
    'diskprofiles',
    'disks',
    'domains',
    'externalhostproviders',
    'externaltemplateimports',
    'externalvmimports',
    'groups',
    'hosts',
    'imagetransfers',
    'instancetypes',
    'jobs',
    'katelloerrata',
    'macpools',
    'networkfilters',
    'networks',
    'openstackimageproviders',
    'openstacknetworkproviders',
    'openstackvolumeproviders',
    'operatingsystems',
    'permissions',
    'roles',
    'schedulingpolicies',
    'schedulingpolicyunits',
    'storageconnections',
    'storagedomains',
    'tags',
    'templates',
    'users',
    'vmpools',
    'vms',
    'vnicprofiles',
  ])
    s.both(`empty/${name}`, `/${name}`);
  s.get('empty/icons', '/icons?max=2', { volatile: true });
  s.get('empty/events', '/events?max=3', { volatile: true });

  // Roles and their permits.
  s.get('roles/list', '/roles', {
    capture: {
      superUser: named('SuperUser'),
      userRole: named('UserRole'),
      userVmManager: named('UserVmManager'),
      clusterAdmin: named('ClusterAdmin'),
      templateAdmin: named('TemplateAdmin'),
    },
  });
  for (const name of ['superUser', 'userRole', 'userVmManager']) {
    s.both(`roles/${name}`, `/roles/{{${name}}}`);
    s.get(`roles/${name}/permits`, `/roles/{{${name}}}/permits`, {
      capture: { [`permit:${name}`]: first },
    });
    s.get(`roles/${name}/permit`, `/roles/{{${name}}}/permits/{{permit:${name}}}`);
    s.get(`roles/${name}/follow`, `/roles/{{${name}}}?follow=permits`);
  }
  s.get('roles/list/follow', '/roles?follow=permits');

  // Levels, operating systems, filters, policies.
  s.both('levels', '/clusterlevels');
  for (const level of ['4.2', '4.3', '4.4', '4.5', '4.6', '4.7', '4.8', '3.6', '9.9', 'x'])
    s.get(`levels/${level}`, `/clusterlevels/${level}`);
  for (const level of ['4.2', '4.5', '4.7']) {
    s.get(`levels/${level}/features`, `/clusterlevels/${level}/clusterfeatures`, {
      capture: { [`feature:${level}`]: first },
    });
    s.get(
      `levels/${level}/feature`,
      `/clusterlevels/${level}/clusterfeatures/{{feature:${level}}}`,
    );
  }
  s.get('levels/follow', '/clusterlevels?follow=cluster_features');
  s.get('operatingsystems', '/operatingsystems', {
    capture: {
      osOther: named('other'),
      osRhel8: named('rhel_8x64'),
      osWindows: named('windows_2019x64'),
    },
  });
  for (const name of ['osOther', 'osRhel8', 'osWindows'])
    s.both(`operatingsystems/${name}`, `/operatingsystems/{{${name}}}`);
  s.get('icons', '/icons', { capture: { icon: first }, volatile: true });
  s.get('icons/one', '/icons/{{icon}}', { volatile: true });
  s.get('networkfilters', '/networkfilters', {
    capture: { filterSpoof: named('vdsm-no-mac-spoofing'), filterClean: named('clean-traffic') },
  });
  s.both('networkfilters/one', '/networkfilters/{{filterSpoof}}');
  s.get('policies', '/schedulingpolicies', {
    capture: {
      policyNone: named('none'),
      policyEven: named('evenly_distributed'),
      policyPower: named('power_saving'),
    },
  });
  for (const name of ['policyNone', 'policyEven']) {
    s.both(`policies/${name}`, `/schedulingpolicies/{{${name}}}`);
    for (const part of ['filters', 'weights', 'balances']) {
      s.get(`policies/${name}/${part}`, `/schedulingpolicies/{{${name}}}/${part}`, {
        capture: { [`${part}:${name}`]: first },
      });
      s.get(
        `policies/${name}/${part}/one`,
        `/schedulingpolicies/{{${name}}}/${part}/{{${part}:${name}}}`,
      );
    }
  }
  s.get('policies/follow', '/schedulingpolicies?follow=filters,weights,balances');
  s.get('policyunits', '/schedulingpolicyunits', {
    capture: {
      unitMemory: named('Memory'),
      unitCpu: named('CPU'),
      unitHa: (root) =>
        root.children.find((node) => node.at('name') === 'HA' && node.at('type') === 'weight')?.id,
      unitPinToHost: named('PinToHost'),
      unitEvenWeight: (root) =>
        root.children.find(
          (node) =>
            node.at('name') === 'OptimalForEvenDistribution' ||
            node.at('name')?.startsWith('OptimalForEven'),
        )?.id,
      unitEvenBalance: named('OptimalForEvenDistribution'),
    },
  });
  s.both('policyunits/one', '/schedulingpolicyunits/{{unitMemory}}');

  // The defaults.
  s.get('defaults/datacenter', '/datacenters?search=name%3DDefault', {
    capture: { defaultDc: named('Default') },
  });
  s.both('defaults/datacenter/one', '/datacenters/{{defaultDc}}');
  s.get('defaults/cluster', '/clusters?search=name%3DDefault', {
    capture: { defaultCluster: named('Default') },
  });
  s.both('defaults/cluster/one', '/clusters/{{defaultCluster}}');
  for (const part of [
    'storagedomains',
    'clusters',
    'networks',
    'permissions',
    'quotas',
    'qoss',
    'iscsibonds',
  ])
    s.get(`defaults/datacenter/${part}`, `/datacenters/{{defaultDc}}/${part}`);
  for (const part of [
    'affinitygroups',
    'cpuprofiles',
    'networks',
    'permissions',
    'glusterhooks',
    'glustervolumes',
    'networkfilters',
    'enabledfeatures',
    'externalnetworkproviders',
  ])
    s.get(`defaults/cluster/${part}`, `/clusters/{{defaultCluster}}/${part}`);
  s.get('defaults/networks', '/networks', { capture: { defaultNetwork: named('ovirtmgmt') } });
  s.both('defaults/network', '/networks/{{defaultNetwork}}');
  for (const part of ['permissions', 'vnicprofiles', 'networklabels'])
    s.get(`defaults/network/${part}`, `/networks/{{defaultNetwork}}/${part}`);
  s.get('defaults/vnicprofiles', '/vnicprofiles', {
    capture: { defaultProfile: named('ovirtmgmt') },
  });
  s.both('defaults/vnicprofile', '/vnicprofiles/{{defaultProfile}}');
  s.get('defaults/macpools', '/macpools', { capture: { defaultMacPool: named('Default') } });
  s.both('defaults/macpool', '/macpools/{{defaultMacPool}}');
  s.get('defaults/macpool/permissions', '/macpools/{{defaultMacPool}}/permissions');
  s.get('defaults/cpuprofiles', '/cpuprofiles', {
    capture: { defaultCpuProfile: named('Default') },
  });
  s.both('defaults/cpuprofile', '/cpuprofiles/{{defaultCpuProfile}}');
  s.get('defaults/cpuprofile/permissions', '/cpuprofiles/{{defaultCpuProfile}}/permissions');
  s.both('defaults/blank', '/templates/00000000-0000-0000-0000-000000000000');
  for (const part of [
    'permissions',
    'nics',
    'diskattachments',
    'cdroms',
    'tags',
    'graphicsconsoles',
    'watchdogs',
    'mediateddevices',
  ])
    s.get(`defaults/blank/${part}`, `/templates/00000000-0000-0000-0000-000000000000/${part}`);
  s.get(
    'defaults/blank/all-content',
    '/templates/00000000-0000-0000-0000-000000000000?all_content=true',
  );
  s.both('defaults/root-tag', '/tags/00000000-0000-0000-0000-000000000000');
  s.put('defaults/root-tag/update', '/tags/00000000-0000-0000-0000-000000000000', {
    tag: { name: 'dx_root' },
  });
  s.del('defaults/root-tag/remove', '/tags/00000000-0000-0000-0000-000000000000');
  s.put('defaults/blank/update', '/templates/00000000-0000-0000-0000-000000000000', {
    template: { description: 'dx' },
  });
  s.del('defaults/blank/remove', '/templates/00000000-0000-0000-0000-000000000000');

  // Instance types.
  s.get('instancetypes', '/instancetypes', {
    capture: { itTiny: named('Tiny'), itLarge: named('Large') },
  });
  s.both('instancetypes/tiny', '/instancetypes/{{itTiny}}');
  for (const part of ['nics', 'watchdogs', 'graphicsconsoles'])
    s.get(`instancetypes/tiny/${part}`, `/instancetypes/{{itTiny}}/${part}`);

  // Directory: the internal domain with its administrator and the group Everyone.
  s.get('domains', '/domains', {
    capture: {
      domain: (root) => root.children.find((node) => /^internal/.test(node.at('name') ?? ''))?.id,
    },
  });
  s.both('domains/one', '/domains/{{domain}}');
  for (const part of ['users', 'groups']) {
    s.get(`domains/${part}`, `/domains/{{domain}}/${part}`, {
      capture: { [`domain:${part}`]: first },
    });
    s.get(`domains/${part}/one`, `/domains/{{domain}}/${part}/{{domain:${part}}}`);
    for (const search of [
      'name=admin',
      'name=*',
      'name=nobody',
      'usrname=admin',
      'nonsense=1',
      'name=',
    ])
      s.get(
        `domains/${part}/search-${search}`,
        `/domains/{{domain}}/${part}?search=${encodeURIComponent(search)}`,
      );
  }
  s.get('users', '/users', {
    capture: {
      admin: (root) => root.children.find((node) => /^admin@/.test(node.at('user_name') ?? ''))?.id,
    },
  });
  s.both('users/admin', '/users/{{admin}}');
  for (const part of [
    'permissions',
    'roles',
    'tags',
    'groups',
    'sshpublickeys',
    'options',
    'eventsubscriptions',
  ])
    s.both(`users/admin/${part}`, `/users/{{admin}}/${part}`);
  s.get(
    'users/admin/follow',
    '/users/{{admin}}?follow=permissions,roles,tags,groups,ssh_public_keys,options',
  );
  s.get('groups', '/groups', {
    capture: {
      everyone: (root) =>
        (root.children.find((node) => node.at('name') === 'Everyone') ?? root.children[0])?.id,
    },
  });
  s.both('groups/everyone', '/groups/{{everyone}}');
  for (const part of ['permissions', 'roles', 'tags'])
    s.get(`groups/everyone/${part}`, `/groups/{{everyone}}/${part}`);
  s.get('permissions', '/permissions', { capture: { systemPermission: first } });
  s.both('permissions/one', '/permissions/{{systemPermission}}', { volatile: true });

  // Configuration values.
  for (const option of [
    'MigrationPolicies',
    'AutoRecoverySchedule',
    'ClusterEmulatedMachines',
    'UserDefinedVMProperties',
    'CustomDeviceProperties',
    'PredefinedVMProperties',
    'FencingAgentProperties',
    'VdsFenceType',
    'MaxVmNameLength',
    'MaxVmNameLengthSysprep',
    'MaxVmsInPool',
    'MaxNumOfVmCpus',
    'MaxNumOfVmSockets',
    'VM32BitMaxMemorySizeInMB',
    'VM64BitMaxMemorySizeInMB',
    'ServerCPUList',
    'SupportedClusterLevels',
    'ImageTransferProxyEnabled',
    'SSHPort',
    'MinimalETLVersion',
    'EnableMACAntiSpoofingFilterRules',
    'ApplicationMode',
    'ProductRPMVersion',
    'UserSessionTimeOutInterval',
    'DefaultWindowsTimeZone',
    'DefaultGeneralTimeZone',
    'PasswordEncoding',
    'AdminPassword',
    'CACertificatePath',
    'NoSuchOption',
    'maxvmnamelength',
  ]) {
    s.get(`options/${option}`, `/options/${option}`, {
      volatile: ['ProductRPMVersion', 'CACertificatePath'].includes(option),
    });
    if (['MaxNumOfVmCpus', 'VdsFenceType', 'ServerCPUList'].includes(option)) {
      for (const version of ['4.2', '4.7', 'general', '9.9', 'x', ''])
        s.get(
          `options/${option}/version-${version || 'empty'}`,
          `/options/${option}?version=${version}`,
        );
      s.get(`options/${option}/json`, `/options/${option}`, { as: 'json' });
    }
  }
  s.get('options', '/options');
  s.act('reloadconfigurations', '/reloadconfigurations');
  s.act('reloadconfigurations/json', '/reloadconfigurations', {}, { as: 'json' });
}
