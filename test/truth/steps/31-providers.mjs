// External providers of every kind, errata, Gluster on clusters with and without hosts for it.
import { first } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  const kinds = {
    externalhostproviders: [
      'external_host_provider',
      {
        url: 'https://foreman.example.com',
        username: 'admin',
        password: 'secret',
        requires_authentication: true,
      },
      ['certificates', 'computeresources', 'discoveredhosts', 'hostgroups', 'hosts'],
    ],
    openstackimageproviders: [
      'openstack_image_provider',
      {
        url: 'https://glance.example.com:9292',
        requires_authentication: true,
        username: 'admin',
        password: 'secret',
        tenant_name: 'tenant',
        authentication_url: 'https://keystone.example.com:5000/v2.0',
      },
      ['certificates', 'images'],
    ],
    openstacknetworkproviders: [
      'openstack_network_provider',
      {
        url: 'https://neutron.example.com:9696',
        requires_authentication: false,
        type: 'external',
        read_only: true,
        auto_sync: false,
        unmanaged: false,
        external_plugin_type: 'OVIRT_PROVIDER_OVN',
      },
      ['certificates', 'networks'],
    ],
    openstackvolumeproviders: [
      'openstack_volume_provider',
      {
        url: 'https://cinder.example.com:8776',
        requires_authentication: false,
        data_center: { id: '{{dc}}' },
      },
      ['certificates', 'volumetypes', 'authenticationkeys'],
    ],
  };
  for (const [collection, [tag, members, parts]] of Object.entries(kinds)) {
    const id = `provider:${collection}`;
    s.post(
      `${collection}/add`,
      `/${collection}`,
      { [tag]: { name: `dx_${collection}`, description: 'described', ...members } },
      { capture: { [id]: 'id' } },
    );
    s.post(
      `${collection}/add-json`,
      `/${collection}`,
      { [tag]: { name: `dx_${collection}_json`, ...members } },
      { as: 'json', capture: { [`${id}:json`]: 'id' } },
    );
    for (const [name, body] of Object.entries({
      nothing: {},
      'no-name': members,
      'no-url': { name: 'dx_pr', requires_authentication: false },
      'url-nonsense': { name: 'dx_pr', ...members, url: 'not a url' },
      duplicate: { name: `dx_${collection}`, ...members },
      'name-only': { name: 'dx_pr_nameonly' },
      'no-password': {
        name: 'dx_pr_nopass',
        ...members,
        requires_authentication: true,
        password: undefined,
      },
      blank: { name: 'dx provider', ...members },
    }))
      s.postAndRemove(`${collection}/bad-${name}`, `/${collection}`, {
        [tag]: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
      });
    s.both(`${collection}/get`, `/${collection}/{{${id}}}`);
    s.put(`${collection}/update`, `/${collection}/{{${id}}}`, {
      [tag]: { description: 'changed' },
    });
    s.put(
      `${collection}/update-json`,
      `/${collection}/{{${id}}}`,
      { [tag]: { url: 'https://other.example.com', name: `dx_${collection}2` } },
      { as: 'json' },
    );
    s.put(`${collection}/update-password`, `/${collection}/{{${id}}}`, {
      [tag]: { password: 'other', username: 'other' },
    });
    for (const part of parts) {
      s.both(`${collection}/parts/${part}`, `/${collection}/{{${id}}}/${part}`, {
        capture: { [`${id}:${part}`]: first },
        volatile: true,
      });
      s.get(
        `${collection}/parts/${part}/one`,
        `/${collection}/{{${id}}}/${part}/{{${id}:${part}}}`,
        { volatile: true },
      );
      s.get(`${collection}/parts/${part}/unknown`, `/${collection}/{{${id}}}/${part}/${unknown}`);
    }
    s.act(`${collection}/testconnectivity`, `/${collection}/{{${id}}}/testconnectivity`);
    s.act(`${collection}/importcertificates`, `/${collection}/{{${id}}}/importcertificates`, {
      certificates: { certificate: [{ content: 'nonsense' }] },
    });
    s.act(
      `${collection}/importcertificates-nothing`,
      `/${collection}/{{${id}}}/importcertificates`,
    );
    s.get(`${collection}/search`, `/${collection}?search=name%3Ddx*`);
    s.both(`${collection}/list`, `/${collection}`);
    s.del(`${collection}/remove`, `/${collection}/{{${id}:json}}`);
    s.del(`${collection}/remove-again`, `/${collection}/{{${id}:json}}`);
  }
  s.act(
    'images/import',
    '/openstackimageproviders/{{provider:openstackimageproviders}}/images/{{provider:openstackimageproviders:images}}/import',
    { storage_domain: { name: 'dx_sd' }, cluster: { name: 'dx_cluster' } },
  );
  s.get(
    'networks/subnets',
    '/openstacknetworkproviders/{{provider:openstacknetworkproviders}}/networks/{{provider:openstacknetworkproviders:networks}}/subnets',
  );
  s.act(
    'networks/import',
    '/openstacknetworkproviders/{{provider:openstacknetworkproviders}}/networks/{{provider:openstacknetworkproviders:networks}}/import',
    { data_center: { id: '{{dc}}' } },
  );
  s.post(
    'keys/add',
    '/openstackvolumeproviders/{{provider:openstackvolumeproviders}}/authenticationkeys',
    {
      openstack_volume_authentication_key: {
        uuid: '44444444-2222-3333-4444-555555555555',
        value: 'c2VjcmV0',
        usage_type: 'ceph',
        description: 'described',
      },
    },
    { capture: { volumeKey: 'id' } },
  );
  s.both('katello/all', '/katelloerrata');
  s.get('katello/host', '/hosts/{{host}}/katelloerrata');
  s.get('katello/vm', '/vms/{{vm}}/katelloerrata');
  s.get('katello/one', `/katelloerrata/${unknown}`);
  s.post(
    'host/with-provider',
    '/hosts',
    {
      host: {
        name: 'dx_host_x',
        address: 'dx-x.example.com',
        root_password: 'x',
        cluster: { id: '{{cluster}}' },
        external_host_provider: { id: '{{provider:externalhostproviders}}' },
      },
    },
    { capture: { hostWithProvider: 'id' } },
  );
  s.del('host/with-provider/removal', '/hosts/{{hostWithProvider}}?force=true', { optional: true });

  // Gluster: no cluster with the service has a host, so the engine refuses most requests. The steps
  // record how.
  for (const [where, cluster] of [
    ['gluster', '{{clusterGluster}}'],
    ['virt', '{{cluster}}'],
  ]) {
    const volumes = `/clusters/${cluster}/glustervolumes`;
    const bricks = {
      brick: [
        { server_id: '{{host}}', brick_dir: '/bricks/b1' },
        { server_id: '{{host}}', brick_dir: '/bricks/b2' },
      ],
    };
    s.post(
      `${where}/add`,
      volumes,
      {
        gluster_volume: {
          name: 'dx_volume',
          volume_type: 'replicate',
          transport_types: { transport_type: ['tcp'] },
          replica_count: 2,
          bricks,
        },
      },
      { capture: { [`volume:${where}`]: 'id' } },
    );
    s.post(
      `${where}/add-json`,
      `${volumes}?force=true`,
      {
        gluster_volume: {
          name: 'dx_volume_json',
          volume_type: 'distribute',
          bricks: { brick: [{ server_id: '{{host}}', brick_dir: '/bricks/b3' }] },
        },
      },
      { as: 'json', capture: { [`volume2:${where}`]: 'id' } },
    );
    for (const [name, body] of Object.entries({
      nothing: {},
      'no-type': { name: 'dx_v', bricks },
      'no-bricks': { name: 'dx_v', volume_type: 'distribute' },
      'no-name': { volume_type: 'distribute', bricks },
      'unknown-server': {
        name: 'dx_v',
        volume_type: 'distribute',
        bricks: { brick: [{ server_id: unknown, brick_dir: '/b' }] },
      },
      'no-dir': {
        name: 'dx_v',
        volume_type: 'distribute',
        bricks: { brick: [{ server_id: '{{host}}' }] },
      },
      'odd-replica': { name: 'dx_v', volume_type: 'replicate', replica_count: 3, bricks },
      nonsense: { name: 'dx_v', volume_type: 'nonsense', bricks },
    }))
      s.post(`${where}/bad-${name}`, volumes, { gluster_volume: body });
    s.both(`${where}/list`, volumes);
    s.both(`${where}/get`, `${volumes}/{{volume:${where}}}`);
    s.get(`${where}/unknown`, `${volumes}/${unknown}`);
    s.get(`${where}/statistics`, `${volumes}/{{volume:${where}}}/statistics`);
    s.both(`${where}/bricks`, `${volumes}/{{volume:${where}}}/glusterbricks`, {
      capture: { [`brick:${where}`]: first },
    });
    s.get(`${where}/brick`, `${volumes}/{{volume:${where}}}/glusterbricks/{{brick:${where}}}`);
    s.post(`${where}/bricks/add`, `${volumes}/{{volume:${where}}}/glusterbricks`, {
      bricks: { brick: [{ server_id: '{{host}}', brick_dir: '/bricks/b9' }] },
    });
    for (const [action, body] of [
      ['start', {}],
      ['startprofile', {}],
      ['getprofilestatistics', {}],
      ['stopprofile', {}],
      ['setoption', { option: { name: 'auth.allow', value: '*' } }],
      ['resetoption', { option: { name: 'auth.allow' } }],
      ['resetalloptions', {}],
      ['rebalance', { fix_layout: true }],
      ['stoprebalance', {}],
      ['stop', { force: true }],
    ]) {
      s.act(`${where}/${action}`, `${volumes}/{{volume:${where}}}/${action}`, body);
      s.act(`${where}/${action}/unknown`, `${volumes}/${unknown}/${action}`, body);
    }
    s.get(`${where}/hooks`, `/clusters/${cluster}/glusterhooks`, {
      capture: { [`hook:${where}`]: first },
    });
    for (const action of ['enable', 'disable', 'resolve'])
      s.act(
        `${where}/hooks/${action}`,
        `/clusters/${cluster}/glusterhooks/${unknown}/${action}`,
        action === 'resolve' ? { resolution_type: 'copy' } : {},
      );
    s.get(`${where}/hooks/get`, `/clusters/${cluster}/glusterhooks/{{hook:${where}}}`);
    s.act(`${where}/refreshheal`, `/clusters/${cluster}/refreshglusterhealstatus`);
    s.del(`${where}/remove`, `${volumes}/{{volume:${where}}}`);
    s.del(`${where}/remove-unknown`, `${volumes}/${unknown}`);
  }
}
