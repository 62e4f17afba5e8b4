// Systematic rows from the table of operations and the attributes of the model: the same requests
// for every collection, object and action. Runs while the objects of the written session still
// exist.
import { readFileSync } from 'node:fs';
import { first } from '../lib/session.mjs';

const UNKNOWN = '99999999-2222-3333-4444-555555555555';
const GiB = 1073741824;

/**
 * Values of path parameters: a captured value of the written session, otherwise the first object of
 * a list row.
 */
const BOUND = {
  '/affinitylabels': 'affinityLabel',
  '/bookmarks': 'bookmark',
  '/clusters': 'cluster',
  '/cpuprofiles': 'cpuProfile',
  '/datacenters': 'dc',
  '/diskprofiles': 'diskProfile',
  '/disks': 'disk',
  '/domains': 'domain',
  '/events': 'eventFull',
  '/groups': 'everyone',
  '/hosts': 'host',
  '/instancetypes': 'instanceType',
  '/jobs': 'jobKept',
  '/macpools': 'macPool',
  '/networkfilters': 'filterSpoof',
  '/networks': 'net',
  '/operatingsystems': 'osOther',
  '/roles': 'role',
  '/schedulingpolicies': 'policy',
  '/schedulingpolicyunits': 'unitMemory',
  '/storageconnections': 'sdConnection',
  '/storagedomains': 'sd',
  '/tags': 'tag',
  '/templates': 'template',
  '/users': 'admin',
  '/vmpools': 'pool',
  '/vms': 'vm',
  '/vnicprofiles': 'profile',
  '/clusters/{cluster}/affinitygroups': 'affinityGroup',
  '/datacenters/{datacenter}/quotas': 'quota',
  '/datacenters/{datacenter}/qoss': 'qos:cpu',
  '/datacenters/{datacenter}/storagedomains': 'sd',
  '/datacenters/{datacenter}/networks': 'net',
  '/clusters/{cluster}/networks': 'net',
  '/vms/{vm}/nics': 'nic',
  '/vms/{vm}/diskattachments': 'disk',
  '/storagedomains/{storagedomain}/disks': 'disk',
  '/datacenters/{datacenter}/storagedomains/{storagedomain}/disks': 'disk',
  '/externalhostproviders': 'provider:externalhostproviders',
  '/openstackimageproviders': 'provider:openstackimageproviders',
  '/openstacknetworkproviders': 'provider:openstacknetworkproviders',
  '/openstackvolumeproviders': 'provider:openstackvolumeproviders',
  '/networks/{network}/vnicprofiles': 'profile',
  '/clusters/{cluster}/cpuprofiles': 'cpuProfile',
  '/storagedomains/{storagedomain}/diskprofiles': 'diskProfile',
};

/** Valid bodies, for requests about names and required members. */
const SAMPLES = {
  '/affinitylabels': { affinity_label: { name: 'dx_g' } },
  '/bookmarks': { bookmark: { name: 'dx_g', value: 'Vms:' } },
  '/clusters': {
    cluster: { name: 'dx_g', data_center: { id: '{{dc}}' }, cpu: { type: '{{cpuType}}' } },
  },
  '/cpuprofiles': { cpu_profile: { name: 'dx_g', cluster: { id: '{{cluster}}' } } },
  '/datacenters': { data_center: { name: 'dx_g', local: false } },
  '/diskprofiles': { disk_profile: { name: 'dx_g', storage_domain: { id: '{{sd}}' } } },
  '/disks': {
    disk: {
      name: 'dx_g',
      format: 'cow',
      provisioned_size: GiB,
      storage_domains: { storage_domain: [{ id: '{{sd}}' }] },
    },
  },
  '/events': { event: { description: 'dx_g', severity: 'normal', origin: 'dx_g', custom_id: 77 } },
  '/externalhostproviders': {
    external_host_provider: { name: 'dx_g', url: 'https://example.com' },
  },
  '/instancetypes': { instance_type: { name: 'dx_g' } },
  '/jobs': { job: { description: 'dx_g' } },
  '/macpools': {
    mac_pool: {
      name: 'dx_g',
      ranges: { range: [{ from: '02:00:00:00:00:00', to: '02:00:00:00:00:FF' }] },
    },
  },
  '/networks': { network: { name: 'dx_g', data_center: { id: '{{dc}}' }, vlan: { id: 990 } } },
  '/openstackimageproviders': {
    openstack_image_provider: { name: 'dx_g', url: 'https://example.com' },
  },
  '/openstacknetworkproviders': {
    openstack_network_provider: { name: 'dx_g', url: 'https://example.com', type: 'external' },
  },
  '/permissions': { permission: { role: { id: '{{userRole}}' }, user: { id: '{{admin}}' } } },
  '/roles': { role: { name: 'dx_g', administrative: false, permits: { permit: [{ id: '1' }] } } },
  '/schedulingpolicies': { scheduling_policy: { name: 'dx_g' } },
  '/storageconnections': {
    storage_connection: { type: 'nfs', address: 'g.example.com', path: '/dx_g' },
  },
  '/tags': { tag: { name: 'dx_g' } },
  '/templates': { template: { name: 'dx_g', vm: { id: '{{vmJson}}' } } },
  '/vmpools': {
    vm_pool: {
      name: 'dx_g',
      cluster: { id: '{{cluster}}' },
      template: { id: '{{templateDiskless}}' },
      size: 1,
    },
  },
  '/vms': {
    vm: {
      name: 'dx_g',
      cluster: { id: '{{cluster}}' },
      template: { id: '00000000-0000-0000-0000-000000000000' },
    },
  },
  '/vnicprofiles': { vnic_profile: { name: 'dx_g', network: { id: '{{net}}' } } },
  '/clusters/{cluster}/affinitygroups': { affinity_group: { name: 'dx_g', positive: true } },
  '/datacenters/{datacenter}/iscsibonds': { iscsi_bond: { name: 'dx_g' } },
  '/datacenters/{datacenter}/qoss': { qos: { name: 'dx_g', type: 'cpu', cpu_limit: 10 } },
  '/datacenters/{datacenter}/quotas': { quota: { name: 'dx_g' } },
  '/vms/{vm}/nics': { nic: { name: 'dx_g' } },
  '/vms/{vm}/snapshots': undefined,
};

/** Collections for requests with results that should not depend on the collection. */
const SOME = new Set([
  '/vms',
  '/tags',
  '/disks',
  '/hosts',
  '/events',
  '/roles',
  '/clusterlevels',
  '/permissions',
]);

const SEARCHABLE = new Set([
  '/clusters',
  '/datacenters',
  '/disks',
  '/events',
  '/groups',
  '/hosts',
  '/instancetypes',
  '/jobs',
  '/networks',
  '/storagedomains',
  '/templates',
  '/users',
  '/vmpools',
  '/vms',
]);

export default function define(s, options) {
  const operations = JSON.parse(readFileSync(options.operations, 'utf8')).filter(
    (row) => row.served && !row.path.startsWith('/datacenters/{datacenter}/clusters/'),
  );
  const model = JSON.parse(readFileSync(new URL('../data/model.json', import.meta.url), 'utf8'));
  const limit = Number(options.limit);
  const before = s.steps.length;
  /**
   * Removals of accidentally created objects do not count: nearly all of them have nothing to do.
   */
  const isFull = () => s.steps.slice(before).filter((step) => !step.optional).length >= limit;
  const of = (operation) => operations.filter((row) => row.operation === operation);
  const label = (path) => path.replace(/^\//, '').replace(/[{}]/g, '');
  const parent = (path) => path.replace(/\/[^/]+$/, '');

  /** The path with its parameters replaced. */
  const concrete = (path) => {
    const words = [];
    let prefix = '';
    for (const word of path.split('/').slice(1)) {
      if (!word.startsWith('{')) words.push(word);
      else if (prefix === '/clusterlevels') words.push('4.7');
      else if (prefix === '/options') words.push('MaxNumOfVmCpus');
      else words.push(`{{${BOUND[prefix] ?? `at:${prefix}`}}}`);
      prefix += `/${word}`;
    }
    return `/${words.join('/')}`;
  };
  const rows = (add) => {
    if (!isFull()) add();
  };
  const lists = of('list').map((row) => row.path);
  const top = lists.filter((path) => path.split('/').length === 2);
  const below = lists.filter((path) => path.split('/').length > 2);
  const adds = new Map(of('add').map((row) => [row.path, row.resource_type]));
  const tags = {
    vm_nic: 'nic',
    gluster_brick: 'bricks',
    numa_node: 'host_numa_node',
    virtual_numa_node: 'vm_numa_node',
    open_stack_image_provider: 'openstack_image_provider',
  };
  const getTag = (type) => tags[type] ?? type.replace(/^open_stack_/, 'openstack_');

  // Every list in both representations, and its first object.
  for (const path of lists)
    rows(() => {
      const changing =
        /events$|jobs$|statistics$|permissions$|^\/(external\w+|openstack\w+)\/\{/.test(path);
      s.get(`list/${label(path)}/xml`, concrete(path), {
        capture: { [`at:${path}`]: first },
        volatile: changing,
        topic: `list of ${label(path)}`,
      });
      if (path.split('/').length <= 2 || /^\/(vms|hosts|templates)\//.test(path))
        s.get(`list/${label(path)}/json`, concrete(path), {
          as: 'json',
          volatile: changing,
          topic: `list of ${label(path)}`,
        });
    });
  const gets = of('get')
    .map((row) => row.path)
    .filter((path) => path !== '/');
  for (const path of gets)
    if (path.split('/').length > 3)
      rows(() =>
        s.get(`get/${label(path)}`, concrete(path), {
          topic: `get of ${label(path)}`,
          volatile: /statistics|permissions|providers/.test(path),
        }),
      );

  // Parameters of lists.
  for (const path of top) {
    const at = concrete(path);
    // Disks of templates and clones share their names, and a truncated list shows some of them:
    // request others.
    const among = path === '/disks' ? 'name=dx_disk_* ' : '';
    const ask = (name, query, given = {}) =>
      rows(() =>
        s.get(
          `parameters/${label(path)}/${name}`,
          `${at}${query}${among && !query.includes('search=') ? `&search=${encodeURIComponent(among.trim())}` : ''}`,
          { topic: `list with ${name}`, volatile: /events|jobs/.test(path), ...given },
        ),
      );
    for (const max of ['0', '1', '-1', 'abc']) ask(`max-${max}`, `?max=${max}`);
    ask('follow-nonsense', '?follow=nonsense&max=1');
    ask('search-unknown-field', '?search=nonsense%3D1');
    if (SOME.has(path)) {
      ask('max-empty', '?max=');
      if (!among) ask('max-matrix', ';max=1');
      ask('filter-true', '?filter=true');
      ask('filter-false', '?filter=false');
      ask('all-content', '?all_content=true&max=2');
      ask('trailing-slash', '/?max=1');
    }
    if (SEARCHABLE.has(path)) {
      for (const [name, search] of Object.entries({
        name: 'name=dx*',
        sort: 'sortby name desc',
        'sort-unknown': 'sortby nonsense',
        paging: 'sortby name asc page 2',
        syntax: 'name=',
        free: 'dx',
      }))
        ask(
          `search-${name}`,
          `?max=2&search=${encodeURIComponent(search.startsWith('sortby') || search === 'dx' ? `${among}${search}` : among && search === 'name=dx*' ? among.trim() : search)}`,
        );
      ask('case-sensitive', '?case_sensitive=true&search=name%3DDX*');
    }
    for (const method of ['HEAD', 'OPTIONS'])
      rows(() =>
        s.step(`methods/${label(path)}/${method.toLowerCase()}`, method, at, {
          topic: `${method} of a list`,
        }),
      );
    if (SOME.has(path))
      for (const method of ['PUT', 'DELETE'])
        rows(() =>
          s.step(`methods/${label(path)}/${method.toLowerCase()}`, method, at, {
            topic: `${method} of a list`,
            ...(method === 'PUT' ? { body: '<x/>' } : {}),
          }),
        );
  }
  const malformed = new Set();
  for (const path of below) {
    const unknown =
      `${concrete(parent(parent(path)))}/${UNKNOWN}/${path.split('/').at(-1)}`.replace('//', '/');
    rows(() =>
      s.get(`parent-unknown/${label(path)}`, unknown, {
        topic: 'list below an object that is not there',
      }),
    );
    if (path.split('/').length === 4 && !malformed.has(parent(path)))
      rows(
        () =>
          malformed.add(parent(path)) &&
          s.get(`parent-malformed/${label(path)}`, unknown.replace(UNKNOWN, 'nonsense'), {
            topic: 'list below an id that is no id',
          }),
      );
  }

  // Unknown objects.
  for (const path of gets) {
    const collection = concrete(parent(path));
    const given = { topic: 'get of an id that is not there' };
    if (
      path.split('/').length === 3 ||
      /^\/(vms|hosts|datacenters|storagedomains|clusters|templates)\//.test(path)
    )
      rows(() => s.get(`unknown/${label(path)}`, `${collection}/${UNKNOWN}`, given));
    if (path.split('/').length === 3 || path.startsWith('/vms/'))
      rows(() =>
        s.get(`malformed/${label(path)}`, `${collection}/nonsense`, {
          topic: 'get of an id that is no id',
        }),
      );
  }
  for (const path of top)
    rows(() =>
      s.get(`other-kind/${label(path)}`, `${path}/{{${path === '/vms' ? 'dc' : 'vm'}}}`, {
        topic: "get of another kind's id",
      }),
    );
  for (const { path } of of('remove'))
    if (
      path.split('/').length <= 3 ||
      /^\/(vms|datacenters|storagedomains|clusters|roles|hosts)\//.test(path)
    )
      rows(() =>
        s.del(`remove-unknown/${label(path)}`, `${concrete(parent(path))}/${UNKNOWN}`, {
          topic: 'remove of an id that is not there',
        }),
      );
  for (const row of of('update'))
    if (row.path.split('/').length === 3 || row.path.startsWith('/vms/'))
      rows(() =>
        s.put(
          `update-unknown/${label(row.path)}`,
          `${concrete(parent(row.path))}/${UNKNOWN}`,
          { [getTag(row.resource_type)]: null },
          { topic: 'update of an id that is not there' },
        ),
      );
  for (const path of SOME)
    rows(() =>
      s.step(`methods/${label(path)}/object-options`, 'OPTIONS', concrete(`${path}/{x}`), {
        topic: 'OPTIONS of an object',
      }),
    );

  // Bodies.
  for (const [path, type] of adds) {
    const tag = getTag(type);
    const at = concrete(path);
    const ask = (name, given) =>
      rows(() =>
        s.step(`bodies/${label(path)}/${name}`, 'POST', at, {
          topic: `POST with ${name}`,
          ...given,
        }),
      );
    ask('empty-root', { body: { [tag]: null }, topic: `POST of an empty ${tag}` });
    if (path.split('/').length > 2) continue;
    ask('wrong-root', { body: '<nonsense/>' });
    ask('nothing', { type: 'application/xml', body: '' });
    ask('malformed-xml', { body: `<${tag}><name>x</${tag}>` });
    ask('malformed-json', { as: 'json', body: '{"name": ' });
    ask('unknown-element', { body: { [tag]: { nonsense: 'x' } } });
    ask('json-unknown-member', { as: 'json', body: '{"nonsense":"x"}' });
    if (SOME.has(path)) {
      ask('json-array', { as: 'json', body: '[]' });
      ask('json-empty', { as: 'json', body: '{}', topic: `POST of an empty ${tag}` });
      ask('json-wrapped', { as: 'json', body: JSON.stringify({ [tag]: { name: 'dx_g' } }) });
      ask('unknown-attribute', { body: `<${tag} nonsense="x"/>` });
      ask('no-content-type', { body: `<${tag}/>`, type: null });
      ask('text-plain', { body: `<${tag}/>`, type: 'text/plain' });
    }
    if (['/vms', '/tags', '/disks'].includes(path)) {
      ask('xml-said-to-be-json', { body: `<${tag}/>`, type: 'application/json' });
      ask('json-said-to-be-xml', { body: '{}', type: 'application/xml' });
      ask('charset', { body: { [tag]: { name: 'dx_ü' } }, type: 'application/xml; charset=utf-8' });
      ask('doctype', {
        body: `<!DOCTYPE ${tag} [<!ENTITY e "x">]><${tag}><name>&e;</name></${tag}>`,
      });
      ask('declaration', { body: `<?xml version="1.0" encoding="UTF-8"?><!-- c --><${tag}/>` });
      ask('namespace', { body: `<${tag} xmlns="urn:x"/>` });
      ask('text-in-root', { body: `<${tag}>text</${tag}>` });
      ask('text-xml', { body: `<${tag}/>`, type: 'text/xml' });
      ask('form', { body: 'name=x', type: 'application/x-www-form-urlencoded' });
    }
  }

  // Names and required members.
  for (const [path, sample] of Object.entries(SAMPLES)) {
    if (!sample) continue;
    const [[tag, body]] = Object.entries(sample);
    const at = concrete(path);
    const ask = (name, value, given = {}) =>
      rows(() => s.postAndRemove(`required/${label(path)}/${name}`, at, { [tag]: value }, given));
    for (const key of Object.keys(body))
      ask(
        `without-${key}`,
        Object.fromEntries(Object.entries(body).filter(([other]) => other !== key)),
      );
    if (body.name !== undefined) {
      for (const [name, value] of Object.entries({
        blanks: 'dx g h',
        characters: 'dx_g!@#',
        empty: '',
        long: `dx_${'g'.repeat(300)}`,
      }))
        ask(`name-${name}`, { ...body, name: value });
      rows(() => {
        s.post(
          `required/${label(path)}/first`,
          at,
          { [tag]: { ...body, name: 'dx_twice' } },
          { capture: { [`twice:${path}`]: 'id' }, as: 'json' },
        );
        s.post(`required/${label(path)}/second`, at, { [tag]: { ...body, name: 'dx_twice' } });
        s.del(`required/${label(path)}/first-removal`, `${at}/{{twice:${path}}}`);
      });
    }
  }

  // Updates: empty, with the read content, with another id, with unknown members.
  for (const row of of('update')) {
    const at = concrete(row.path);
    const tag = getTag(row.resource_type);
    const ask = (name, given) =>
      rows(() =>
        s.step(`updates/${label(row.path)}/${name}`, 'PUT', at, { topic: `PUT ${name}`, ...given }),
      );
    ask('of-nothing', { body: { [tag]: null }, topic: `PUT of an empty ${tag}` });
    rows(() => {
      s.get(`updates/${label(row.path)}/read-xml`, at, {
        capture: { [`read:xml:${row.path}`]: '(body)' },
      });
      s.step(`updates/${label(row.path)}/as-read-xml`, 'PUT', at, {
        body: `{{read:xml:${row.path}}}`,
      });
      if (row.path.split('/').length > 3) return;
      s.get(`updates/${label(row.path)}/read-json`, at, {
        as: 'json',
        capture: { [`read:json:${row.path}`]: '(body)' },
      });
      s.step(`updates/${label(row.path)}/as-read-json`, 'PUT', at, {
        as: 'json',
        body: `{{read:json:${row.path}}}`,
      });
    });
    if (row.path.split('/').length === 3) {
      ask('of-another-id', { body: { [tag]: { id: UNKNOWN } } });
      ask('of-an-unknown-element', { body: { [tag]: { nonsense: 'x' } } });
      ask('of-a-wrong-root', { body: '<nonsense/>' });
      ask('with-no-body', { body: '', type: 'application/xml' });
    }
  }

  // Invalid words, numbers and booleans at every attribute of the common types.
  const primitive = { boolean: 'perhaps', integer: 'abc', decimal: 'abc', date: 'yesterday' };
  const wrong = (type, seen = []) => {
    const out = [];
    for (let name = type; name; name = model.types[name]?.base) {
      for (const [attribute, [kind, flags = '']] of Object.entries(
        model.types[name]?.attributes ?? {},
      )) {
        if (flags.includes('r')) continue;
        const wrap = (value) =>
          flags.includes('l') ? { [attribute]: { [kind]: [value] } } : { [attribute]: value };
        if (primitive[kind] && !flags.includes('l'))
          out.push([attribute, kind, { [attribute]: primitive[kind] }]);
        else if (model.enums[kind])
          out.push([
            attribute,
            'enum',
            flags.includes('l')
              ? {
                  [attribute]: { [attribute.replace(/ies$/, 'y').replace(/s$/, '')]: ['nonsense'] },
                }
              : { [attribute]: 'nonsense' },
          ]);
        else if (model.types[kind] && seen.length < 2 && !seen.includes(kind))
          for (const [path, what, value] of wrong(kind, [...seen, kind]))
            out.push([`${attribute}.${path}`, what, wrap(value)]);
      }
    }
    return out;
  };
  const kindsSeen = new Set();
  for (const [type, path, body] of [
    ['vm', '/vms', SAMPLES['/vms'].vm],
    ['cluster', '/clusters', SAMPLES['/clusters'].cluster],
    ['disk', '/disks', SAMPLES['/disks'].disk],
    ['network', '/networks', SAMPLES['/networks'].network],
    ['storage_domain', '/storagedomains', { name: 'dx_g' }],
    ['host', '/hosts', { name: 'dx_g', address: 'dx-g.example.com' }],
    ['vnic_profile', '/vnicprofiles', SAMPLES['/vnicprofiles'].vnic_profile],
    ['data_center', '/datacenters', SAMPLES['/datacenters'].data_center],
    ['event', '/events', SAMPLES['/events'].event],
    ['qos', '/datacenters/{datacenter}/qoss', SAMPLES['/datacenters/{datacenter}/qoss'].qos],
  ]) {
    for (const [attribute, what, value] of wrong(type)) {
      // One of each kind of number per type, and every enum.
      const seen = `${type} ${what} ${what === 'enum' ? attribute : attribute.split('.').length}`;
      if (kindsSeen.has(seen)) continue;
      kindsSeen.add(seen);
      rows(() =>
        s.postAndRemove(
          `values/${type}/${attribute}`,
          concrete(path),
          { [type]: { ...body, ...value } },
          { topic: `POST with a wrong ${what}`, as: attribute.length % 3 === 0 ? 'json' : 'xml' },
        ),
      );
    }
  }

  // Actions.
  const actions = operations.filter((row) => row.http === 'POST' && row.operation !== 'add');
  for (const row of actions) {
    const segments = row.path.split('/');
    const unknown = segments.at(-2).startsWith('{')
      ? `${concrete(parent(parent(row.path)))}/${UNKNOWN}/${segments.at(-1)}`
      : concrete(row.path);
    if (segments.at(-2).startsWith('{'))
      rows(() =>
        s.act(
          `actions/${label(row.path)}/unknown`,
          unknown,
          {},
          { topic: 'action on an object that is not there' },
        ),
      );
    if (
      segments.length === 4 &&
      ['vms', 'disks', 'clusters', 'imagetransfers'].includes(segments[1])
    ) {
      rows(() =>
        s.get(`actions/${label(row.path)}/get`, concrete(row.path), { topic: 'GET of an action' }),
      );
      rows(() =>
        s.step(`actions/${label(row.path)}/no-body`, 'POST', unknown, {
          topic: 'action without a body',
        }),
      );
    }
  }
  for (const path of SOME)
    rows(() =>
      s.act(
        `actions/${label(path)}/nonsense`,
        `${concrete(`${path}/{x}`)}/nonsense`,
        {},
        { topic: 'action that is not there' },
      ),
    );
  for (const [name, given] of Object.entries({
    'wrong-root': { body: '<nonsense/>' },
    'unknown-element': { body: { action: { nonsense: 'x' } } },
    'json-empty': { as: 'json', body: '{}' },
    'json-wrapped': { as: 'json', body: '{"action":{}}' },
    'json-unknown': { as: 'json', body: '{"nonsense":1}' },
    'async-true': { body: { action: { async: true } } },
    'async-false': { body: { action: { async: false } } },
    'async-nonsense': { body: { action: { async: 'perhaps' } } },
    'query-async': { body: { action: null }, query: '?async=true' },
    'grace-period': { body: { action: { grace_period: { expiry: 10 } } } },
    'text-plain': { body: '<action/>', type: 'text/plain' },
    'no-content-type': { body: '<action/>', type: null },
    'expect-202': { body: { action: null }, headers: { 'x-ovirt-expect': '202-accepted' } },
  })) {
    const { query = '', ...rest } = given;
    for (const [where, path] of [
      ['refresh', '/hosts/{{host}}/refresh'],
      ['stop', '/vms/{{vm}}/stop'],
    ])
      rows(() =>
        s.step(`actions/forms/${where}/${name}`, 'POST', `${path}${query}`, {
          topic: `action with ${name}`,
          ...rest,
        }),
      );
  }

  // Every link of an object, followed.
  for (const row of of('get')) {
    if (
      row.path.split('/').length !== 3 ||
      ['/vms/{vm}', '/hosts/{host}', '/disks/{disk}'].includes(row.path)
    )
      continue;
    const links = new Set();
    for (let name = getTag(row.resource_type); name; name = model.types[name]?.base)
      for (const [attribute, [, flags = '']] of Object.entries(model.types[name]?.attributes ?? {}))
        if (flags.includes('r')) links.add(attribute);
    for (const link of links)
      rows(() =>
        s.get(`follow/${label(row.path)}/${link}`, `${concrete(row.path)}?follow=${link}`, {
          topic: `follow of ${link}`,
          volatile: /jobs|events|permissions|providers/.test(row.path),
        }),
      );
  }
}
