// Bookmarks, tags, roles, MAC pools, scheduling policies, jobs, events: objects without
// dependencies.
import { first } from '../lib/session.mjs';

export default function define(s) {
  // Bookmarks.
  s.post(
    'bookmarks/add',
    '/bookmarks',
    { bookmark: { name: 'dx_bookmark', value: 'Vms: name=dx*' } },
    { capture: { bookmark: 'id' } },
  );
  s.post(
    'bookmarks/add-json',
    '/bookmarks',
    { bookmark: { name: 'dx_bookmark_json', value: 'Hosts:' } },
    { as: 'json', capture: { bookmarkJson: 'id' } },
  );
  s.post(
    'bookmarks/add-full',
    '/bookmarks',
    {
      bookmark: {
        name: 'dx_bookmark_full',
        value: 'Events: severity=error',
        description: 'described',
        comment: 'commented',
        id: '11111111-2222-3333-4444-555555555555',
      },
    },
    { capture: { bookmarkFull: 'id' }, note: 'are description, comment and the id taken?' },
  );
  s.both('bookmarks/get', '/bookmarks/{{bookmarkFull}}');
  s.post('bookmarks/duplicate', '/bookmarks', { bookmark: { name: 'dx_bookmark', value: 'x' } });
  s.post('bookmarks/long-name', '/bookmarks', {
    bookmark: { name: `dx_${'n'.repeat(60)}`, value: 'x' },
  });
  s.post('bookmarks/long-value', '/bookmarks', {
    bookmark: { name: 'dx_bookmark_long', value: 'v'.repeat(400) },
  });
  s.post(
    'bookmarks/characters',
    '/bookmarks',
    { bookmark: { name: 'dx böökmark & <co> "x"', value: 'Vms: name="a b" & x<y' } },
    { capture: { bookmarkOdd: 'id' } },
  );
  s.both('bookmarks/characters/get', '/bookmarks/{{bookmarkOdd}}');
  s.put('bookmarks/update', '/bookmarks/{{bookmark}}', {
    bookmark: { value: 'Vms: name=changed' },
  });
  s.put(
    'bookmarks/update-name',
    '/bookmarks/{{bookmark}}',
    { bookmark: { name: 'dx_bookmark2' } },
    { as: 'json' },
  );
  s.put('bookmarks/update-duplicate', '/bookmarks/{{bookmark}}', {
    bookmark: { name: 'dx_bookmark_json' },
  });
  s.put('bookmarks/update-id', '/bookmarks/{{bookmark}}', {
    bookmark: { id: '99999999-2222-3333-4444-555555555555', value: 'y' },
  });
  s.put('bookmarks/update-empty', '/bookmarks/{{bookmark}}', { bookmark: null });
  s.put('bookmarks/update-empty-value', '/bookmarks/{{bookmark}}', { bookmark: { value: '' } });
  s.put('bookmarks/update-async', '/bookmarks/{{bookmark}}?async=true', {
    bookmark: { value: 'async' },
  });
  s.both('bookmarks/list', '/bookmarks');
  s.del('bookmarks/remove', '/bookmarks/{{bookmarkJson}}');
  s.del('bookmarks/remove-again', '/bookmarks/{{bookmarkJson}}');
  s.get('bookmarks/removed', '/bookmarks/{{bookmarkJson}}');
  s.del('bookmarks/remove-async', '/bookmarks/{{bookmarkFull}}?async=true');
  s.del('bookmarks/remove-json', '/bookmarks/{{bookmarkOdd}}', { as: 'json' });

  // Tags: a tree.
  s.post('tags/add', '/tags', { tag: { name: 'dx_tag' } }, { capture: { tag: 'id' } });
  s.post(
    'tags/add-described',
    '/tags',
    { tag: { name: 'dx_tag_described', description: 'described', comment: 'commented' } },
    { as: 'json', capture: { tag2: 'id' } },
  );
  s.post(
    'tags/add-child',
    '/tags',
    { tag: { name: 'dx_tag_child', parent: { id: '{{tag}}' } } },
    { capture: { tagChild: 'id' }, note: 'parent by id' },
  );
  s.post(
    'tags/add-child-by-name',
    '/tags',
    { tag: { name: 'dx_tag_child2', parent: { name: 'dx_tag' } } },
    { capture: { tagChild2: 'id' } },
  );
  s.post('tags/add-child-old-form', '/tags', {
    tag: { name: 'dx_tag_child3', parent: { tag: { id: '{{tag}}' } } },
  });
  s.post('tags/unknown-parent', '/tags', {
    tag: { name: 'dx_tag_lost', parent: { id: '99999999-2222-3333-4444-555555555555' } },
  });
  s.post('tags/unknown-parent-name', '/tags', {
    tag: { name: 'dx_tag_lost', parent: { name: 'dx_no_such_tag' } },
  });
  s.post('tags/duplicate', '/tags', { tag: { name: 'dx_tag' } });
  for (const [name, text] of Object.entries({
    blank: 'dx tag',
    slash: 'dx/tag',
    umlaut: 'dx_täg',
    empty: '',
    long: `dx_${'t'.repeat(60)}`,
    dot: 'dx.tag',
  }))
    s.postAndRemove(`tags/name-${name}`, '/tags', { tag: { name: text } });
  s.put('tags/update', '/tags/{{tag}}', { tag: { description: 'changed' } });
  s.put('tags/update-name', '/tags/{{tag}}', { tag: { name: 'dx_tag_renamed' } });
  s.put('tags/update-duplicate', '/tags/{{tag}}', { tag: { name: 'dx_tag_child' } });
  s.put('tags/update-parent', '/tags/{{tagChild2}}', { tag: { parent: { id: '{{tag2}}' } } });
  s.put('tags/update-parent-self', '/tags/{{tag}}', { tag: { parent: { id: '{{tag}}' } } });
  s.put('tags/update-parent-child', '/tags/{{tag}}', { tag: { parent: { id: '{{tagChild}}' } } });
  s.both('tags/get', '/tags/{{tagChild2}}');
  s.both('tags/list', '/tags');
  s.get('tags/follow-parent', '/tags/{{tagChild}}?follow=parent');
  s.del('tags/remove-parent', '/tags/{{tag2}}', { note: 'what becomes of its child' });
  s.get('tags/child-after', '/tags/{{tagChild2}}');

  // Roles.
  s.post(
    'roles/add',
    '/roles',
    {
      role: {
        name: 'dx_role',
        description: 'described',
        mutable: true,
        administrative: false,
        permits: { permit: [{ id: '1' }, { id: '3' }] },
      },
    },
    { capture: { role: 'id' } },
  );
  s.post(
    'roles/add-admin-json',
    '/roles',
    {
      role: {
        name: 'dx_role_admin',
        administrative: 'true',
        permits: { permit: [{ name: 'create_vm' }, { name: 'login' }] },
      },
    },
    { as: 'json', capture: { roleAdmin: 'id' } },
  );
  s.post('roles/no-permits', '/roles', { role: { name: 'dx_role_none' } });
  s.post('roles/unknown-permit', '/roles', {
    role: {
      name: 'dx_role_unknown',
      administrative: false,
      permits: { permit: [{ id: '99999' }] },
    },
  });
  s.post(
    'roles/admin-permit-in-user-role',
    '/roles',
    {
      role: {
        name: 'dx_role_mixed',
        administrative: false,
        permits: { permit: [{ name: 'create_storage_domain' }] },
      },
    },
    { capture: { roleMixed: 'id' } },
  );
  s.post('roles/duplicate', '/roles', {
    role: { name: 'dx_role', administrative: false, permits: { permit: [{ id: '1' }] } },
  });
  s.both('roles/get', '/roles/{{role}}');
  s.get('roles/permits', '/roles/{{role}}/permits');
  s.post('roles/permits/add', '/roles/{{role}}/permits', { permit: { name: 'migrate_vm' } });
  s.post(
    'roles/permits/add-id',
    '/roles/{{role}}/permits',
    { permit: { id: '5' } },
    { capture: { 'permit:role': 'id' } },
  );
  s.post('roles/permits/add-again', '/roles/{{role}}/permits', { permit: { id: '5' } });
  s.post('roles/permits/add-unknown', '/roles/{{role}}/permits', { permit: { id: '99999' } });
  s.get('roles/permits/get', '/roles/{{role}}/permits/5');
  s.del('roles/permits/remove', '/roles/{{role}}/permits/5');
  s.del('roles/permits/remove-again', '/roles/{{role}}/permits/5');
  s.del('roles/permits/remove-nonsense', '/roles/{{role}}/permits/nonsense');
  s.put('roles/update', '/roles/{{role}}', {
    role: { name: 'dx_role_renamed', description: 'changed' },
  });
  s.put('roles/update-permits', '/roles/{{role}}', {
    role: { permits: { permit: [{ id: '1' }] } },
  });
  s.put('roles/update-fixed', '/roles/{{superUser}}', { role: { description: 'changed' } });
  s.del('roles/remove-fixed', '/roles/{{superUser}}');
  s.post('roles/fixed/permit', '/roles/{{superUser}}/permits', { permit: { id: '1' } });
  s.del('roles/remove', '/roles/{{roleAdmin}}');
  s.get('roles/list', '/roles');

  // MAC pools.
  s.post(
    'macpools/add',
    '/macpools',
    {
      mac_pool: {
        name: 'dx_macpool',
        ranges: { range: [{ from: '00:1A:4A:16:01:51', to: '00:1A:4A:16:01:E6' }] },
      },
    },
    { capture: { macPool: 'id' } },
  );
  s.post(
    'macpools/add-full',
    '/macpools',
    {
      mac_pool: {
        name: 'dx_macpool_full',
        description: 'described',
        allow_duplicates: true,
        default_pool: false,
        ranges: {
          range: [
            { from: '00:1A:4A:17:01:51', to: '00:1A:4A:17:01:E6' },
            { from: '02:1A:4A:01:00:00', to: '02:1A:4A:FF:FF:FF' },
          ],
        },
      },
    },
    { as: 'json', capture: { macPool2: 'id' } },
  );
  for (const [name, body] of Object.entries({
    'no-ranges': { name: 'dx_macpool_x' },
    'no-name': { ranges: { range: [{ from: '00:1A:4A:18:01:51', to: '00:1A:4A:18:01:E6' }] } },
    'to-before-from': {
      name: 'dx_macpool_x',
      ranges: { range: [{ from: '00:1A:4A:18:01:E6', to: '00:1A:4A:18:01:51' }] },
    },
    'not-a-mac': { name: 'dx_macpool_x', ranges: { range: [{ from: 'xx', to: 'yy' }] } },
    multicast: {
      name: 'dx_macpool_x',
      ranges: { range: [{ from: '01:00:00:00:00:00', to: '01:00:00:00:00:FF' }] },
    },
    'without-to': { name: 'dx_macpool_x', ranges: { range: [{ from: '00:1A:4A:18:01:E6' }] } },
    overlapping: {
      name: 'dx_macpool_x',
      ranges: { range: [{ from: '00:1A:4A:16:01:51', to: '00:1A:4A:16:01:E6' }] },
    },
    duplicate: {
      name: 'dx_macpool',
      ranges: { range: [{ from: '00:1A:4A:19:01:51', to: '00:1A:4A:19:01:E6' }] },
    },
    'second-default': {
      name: 'dx_macpool_x',
      default_pool: true,
      ranges: { range: [{ from: '00:1A:4A:1A:01:51', to: '00:1A:4A:1A:01:E6' }] },
    },
  }))
    s.postAndRemove(`macpools/${name}`, '/macpools', { mac_pool: body });
  s.both('macpools/get', '/macpools/{{macPool2}}');
  s.put('macpools/update', '/macpools/{{macPool}}', {
    mac_pool: { description: 'changed', allow_duplicates: true },
  });
  s.put('macpools/update-ranges', '/macpools/{{macPool}}', {
    mac_pool: { ranges: { range: [{ from: '00:1A:4A:1B:01:51', to: '00:1A:4A:1B:01:E6' }] } },
  });
  s.put('macpools/update-default', '/macpools/{{defaultMacPool}}', {
    mac_pool: { description: 'changed' },
  });
  s.del('macpools/remove-default', '/macpools/{{defaultMacPool}}');
  s.del('macpools/remove', '/macpools/{{macPool2}}');
  s.both('macpools/list', '/macpools');

  // Scheduling policies.
  s.post(
    'policies/add',
    '/schedulingpolicies',
    {
      scheduling_policy: {
        name: 'dx_policy',
        description: 'described',
        properties: {
          property: [
            { name: 'HighUtilization', value: '80' },
            { name: 'CpuOverCommitDurationMinutes', value: '5' },
          ],
        },
      },
    },
    { capture: { policy: 'id' } },
  );
  s.post('policies/duplicate', '/schedulingpolicies', { scheduling_policy: { name: 'dx_policy' } });
  s.post('policies/no-name', '/schedulingpolicies', { scheduling_policy: { description: 'x' } });
  s.post('policies/unknown-property', '/schedulingpolicies', {
    scheduling_policy: {
      name: 'dx_policy_x',
      properties: { property: [{ name: 'Nonsense', value: '1' }] },
    },
  });
  for (const [part, tag, unit] of [
    ['filters', 'filter', 'unitCpu'],
    ['weights', 'weight', 'unitHa'],
    ['balances', 'balance', 'unitEvenBalance'],
  ]) {
    s.post(
      `policies/${part}/add`,
      `/schedulingpolicies/{{policy}}/${part}`,
      {
        [tag]: {
          scheduling_policy_unit: { id: `{{${unit}}}` },
          ...(part === 'filters' ? { position: 1 } : {}),
          ...(part === 'weights' ? { factor: 2 } : {}),
        },
      },
      { capture: { [`policy:${part}`]: 'id' } },
    );
    s.post(`policies/${part}/add-again`, `/schedulingpolicies/{{policy}}/${part}`, {
      [tag]: { scheduling_policy_unit: { id: `{{${unit}}}` } },
    });
    s.post(`policies/${part}/add-empty`, `/schedulingpolicies/{{policy}}/${part}`, { [tag]: null });
    s.post(`policies/${part}/add-wrong-unit`, `/schedulingpolicies/{{policy}}/${part}`, {
      [tag]: { scheduling_policy_unit: { id: '{{unitPinToHost}}' } },
    });
    s.post(`policies/${part}/add-unknown-unit`, `/schedulingpolicies/{{policy}}/${part}`, {
      [tag]: { scheduling_policy_unit: { id: '99999999-2222-3333-4444-555555555555' } },
    });
    s.both(`policies/${part}`, `/schedulingpolicies/{{policy}}/${part}`);
    s.both(`policies/${part}/get`, `/schedulingpolicies/{{policy}}/${part}/{{policy:${part}}}`);
    s.del(`policies/${part}/remove`, `/schedulingpolicies/{{policy}}/${part}/{{policy:${part}}}`);
    s.del(
      `policies/${part}/remove-again`,
      `/schedulingpolicies/{{policy}}/${part}/{{policy:${part}}}`,
    );
  }
  s.put('policies/update', '/schedulingpolicies/{{policy}}', {
    scheduling_policy: {
      description: 'changed',
      properties: { property: [{ name: 'HighUtilization', value: '70' }] },
    },
  });
  s.put('policies/update-locked', '/schedulingpolicies/{{policyNone}}', {
    scheduling_policy: { description: 'changed' },
  });
  s.del('policies/remove-locked', '/schedulingpolicies/{{policyNone}}');
  s.both('policies/get', '/schedulingpolicies/{{policy}}');
  s.del('policyunits/remove', '/schedulingpolicyunits/{{unitMemory}}');

  // Jobs and steps of an external system.
  s.post(
    'jobs/add',
    '/jobs',
    { job: { description: 'dx job', auto_cleared: true } },
    { capture: { job: 'id' } },
  );
  s.post(
    'jobs/add-kept',
    '/jobs',
    { job: { description: 'dx job kept', auto_cleared: false } },
    { as: 'json', capture: { jobKept: 'id' } },
  );
  s.post('jobs/add-nothing', '/jobs', { job: null });
  s.post('jobs/add-empty-description', '/jobs', { job: { description: '' } });
  s.both('jobs/get', '/jobs/{{job}}');
  s.post(
    'jobs/steps/add',
    '/jobs/{{job}}/steps',
    { step: { description: 'dx step', type: 'validating' } },
    { capture: { jobStep: 'id' } },
  );
  s.post(
    'jobs/steps/add-executing',
    '/jobs/{{job}}/steps',
    { step: { description: 'dx step executing', type: 'executing' } },
    { as: 'json', capture: { jobStep2: 'id' } },
  );
  s.post(
    'jobs/steps/add-child',
    '/jobs/{{job}}/steps',
    {
      step: {
        description: 'dx step child',
        type: 'executing',
        parent_step: { id: '{{jobStep2}}' },
      },
    },
    { capture: { jobStep3: 'id' } },
  );
  s.post('jobs/steps/add-nothing', '/jobs/{{job}}/steps', { step: null });
  s.post('jobs/steps/add-type', '/jobs/{{job}}/steps', {
    step: { description: 'x', type: 'rebalancing_volume' },
  });
  s.post('jobs/steps/add-nonsense', '/jobs/{{job}}/steps', {
    step: { description: 'x', type: 'nonsense' },
  });
  s.both('jobs/steps', '/jobs/{{job}}/steps');
  s.both('jobs/steps/get', '/jobs/{{job}}/steps/{{jobStep3}}');
  s.get('jobs/steps/statistics', '/jobs/{{job}}/steps/{{jobStep}}/statistics');
  s.act('jobs/steps/end', '/jobs/{{job}}/steps/{{jobStep}}/end', { force: true, succeeded: true });
  s.act('jobs/steps/end-again', '/jobs/{{job}}/steps/{{jobStep}}/end', { succeeded: true });
  s.act('jobs/steps/end-failed', '/jobs/{{job}}/steps/{{jobStep3}}/end', { succeeded: false });
  s.act('jobs/clear-running', '/jobs/{{job}}/clear');
  s.act('jobs/end', '/jobs/{{job}}/end', { force: true, succeeded: true });
  s.both('jobs/ended', '/jobs/{{job}}');
  s.act('jobs/end-again', '/jobs/{{job}}/end', { succeeded: true });
  s.act('jobs/clear', '/jobs/{{job}}/clear');
  s.get('jobs/cleared', '/jobs/{{job}}');
  s.act('jobs/end-kept', '/jobs/{{jobKept}}/end', { succeeded: false }, { as: 'json' });
  s.get('jobs/ended-kept', '/jobs/{{jobKept}}');
  s.get('jobs/follow', '/jobs/{{jobKept}}?follow=steps');
  s.get('jobs/follow-owner', '/jobs/{{jobKept}}?follow=owner');
  s.get('jobs/search', '/jobs?search=correlation_id%3Dnone');

  // Events of an external system.
  const event = { description: 'dx event', severity: 'normal', origin: 'dx', custom_id: 1001 };
  s.post('events/add', '/events', { event }, { capture: { event: 'id' } });
  s.post(
    'events/add-json',
    '/events',
    { event: { ...event, custom_id: 1002, severity: 'alert' } },
    { as: 'json', capture: { eventAlert: 'id' } },
  );
  s.post(
    'events/add-full',
    '/events',
    {
      event: {
        ...event,
        custom_id: 1003,
        severity: 'warning',
        flood_rate: 5,
        custom_data: 'data',
        correlation_id: 'dx-event',
        log_on_host: false,
        cluster: { id: '{{defaultCluster}}' },
        data_center: { id: '{{defaultDc}}' },
        template: { id: '00000000-0000-0000-0000-000000000000' },
        user: { id: '{{admin}}' },
      },
    },
    { capture: { eventFull: 'id' } },
  );
  s.post('events/add-error', '/events', {
    event: { ...event, custom_id: 1004, severity: 'error' },
  });
  s.post('events/duplicate', '/events', { event });
  s.post('events/own-origin', '/events', { event: { ...event, custom_id: 1005, origin: 'oVirt' } });
  s.post('events/nonsense-severity', '/events', {
    event: { ...event, custom_id: 1006, severity: 'nonsense' },
  });
  s.post('events/link-by-name', '/events', {
    event: { ...event, custom_id: 1007, cluster: { name: 'Default' } },
  });
  s.post('events/link-unknown', '/events', {
    event: { ...event, custom_id: 1008, vm: { id: '99999999-2222-3333-4444-555555555555' } },
  });
  s.post('events/link-not-a-uuid', '/events', {
    event: { ...event, custom_id: 1009, vm: { id: 'nonsense' } },
  });
  for (const key of Object.keys(event))
    s.post(`events/without-${key}`, '/events', {
      event: Object.fromEntries(
        Object.entries({ ...event, custom_id: 1010 }).filter(([name]) => name !== key),
      ),
    });
  s.post('events/without-all', '/events', { event: null });
  s.post('events/custom-id-text', '/events', { event: { ...event, custom_id: 'abc' } });
  s.both('events/get', '/events/{{eventFull}}');
  s.get('events/get-alert', '/events/{{eventAlert}}');
  for (const search of [
    'severity=alert and origin=dx',
    'origin=dx sortby time asc',
    'origin=dx and severity>normal',
    'origin=dx and severity>warning',
    'origin=dx page 1',
    'origin=dx sortby time desc page 1',
    'origin=dx sortby time page 1',
    'custom_event_id=1001',
    'type=9801',
    'message=dx*',
    'correlation_id=dx-event',
    'Templates.name=Blank and origin=dx',
    'event_datacenter=Default and origin=dx',
    'usrname=admin and origin=dx',
    'deleted=true and origin=dx',
    'time=today and origin=dx',
    'time>yesterday and origin=dx',
    'time=nonsense',
    'severity=nonsense',
    'type=abc',
    'nonsense=1',
  ])
    s.get(`events/search/${search}`, `/events?search=${encodeURIComponent(search)}`, {
      topic: 'search of events',
    });
  s.get('events/from', '/events;from={{event}}?search=origin%3Ddx');
  s.get('events/from-query', '/events?from={{event}}&search=origin%3Ddx&max=2');
  s.get('events/from-nonsense', '/events?from=abc&search=origin%3Ddx');
  s.get('events/from-negative', '/events?from=-5&search=origin%3Ddx');
  s.get('events/max', '/events?max=2&search=origin%3Ddx');
  s.del('events/remove', '/events/{{event}}');
  s.get('events/removed', '/events/{{event}}');
  s.del('events/remove-again', '/events/{{event}}');
  s.del('events/remove-alert', '/events/{{eventAlert}}');
  s.get('events/search-removed', '/events?search=deleted%3Dtrue%20and%20origin%3Ddx');
  s.act('events/undelete', '/events/undelete', {});
  s.act('events/undelete-event', '/events/undelete', { event: { id: '{{eventAlert}}' } });
  s.get('events/get-undeleted', '/events/{{eventAlert}}');
  s.get('events/nonsense-id', '/events/abc');
  s.del('events/remove-nonsense', '/events/abc');
  s.get('events/huge-id', '/events/99999999999999999999');
  s.get('events/unknown-id', '/events/999999999');
  s.put('events/update', '/events/{{eventFull}}', { event: { description: 'x' } });
  s.get('events/follow', '/events?search=custom_event_id%3D1003&follow=cluster,user');

  // Instance types.
  s.post(
    'instancetypes/add',
    '/instancetypes',
    { instance_type: { name: 'dx_type' } },
    { capture: { instanceType: 'id' } },
  );
  s.post(
    'instancetypes/add-full',
    '/instancetypes',
    {
      instance_type: {
        name: 'dx_type_full',
        description: 'described',
        memory: 536870912,
        memory_policy: { guaranteed: 268435456, max: 2147483648, ballooning: true },
        cpu: { topology: { cores: 2, sockets: 2, threads: 1 } },
        high_availability: { enabled: true, priority: 50 },
        console: { enabled: true },
        display: { type: 'vnc', monitors: 1, smartcard_enabled: true },
        usb: { enabled: false },
        io: { threads: 1 },
        migration: { auto_converge: 'true', compressed: 'false' },
        migration_downtime: 500,
        os: { boot: { devices: { device: ['network', 'hd'] } } },
        rng_device: { rate: { bytes: 200, period: 2 }, source: 'urandom' },
        soundcard_enabled: true,
        virtio_scsi: { enabled: true },
        cpu_shares: 2048,
        placement_policy: { affinity: 'migratable' },
      },
    },
    { capture: { instanceTypeFull: 'id' } },
  );
  s.post('instancetypes/duplicate', '/instancetypes', { instance_type: { name: 'dx_type' } });
  s.both('instancetypes/get', '/instancetypes/{{instanceTypeFull}}');
  s.put('instancetypes/update', '/instancetypes/{{instanceType}}', {
    instance_type: { memory: 1073741824, cpu: { topology: { cores: 2 } } },
  });
  s.post(
    'instancetypes/nics/add',
    '/instancetypes/{{instanceType}}/nics',
    { nic: { name: 'nic1', interface: 'virtio' } },
    { capture: { instanceTypeNic: 'id' } },
  );
  s.both('instancetypes/nics', '/instancetypes/{{instanceType}}/nics');
  s.put('instancetypes/nics/update', '/instancetypes/{{instanceType}}/nics/{{instanceTypeNic}}', {
    nic: { name: 'nic2' },
  });
  s.del('instancetypes/nics/remove', '/instancetypes/{{instanceType}}/nics/{{instanceTypeNic}}');
  s.post(
    'instancetypes/watchdogs/add',
    '/instancetypes/{{instanceType}}/watchdogs',
    { watchdog: { model: 'i6300esb', action: 'reset' } },
    { capture: { instanceTypeWatchdog: 'id' } },
  );
  s.both('instancetypes/watchdogs', '/instancetypes/{{instanceType}}/watchdogs');
  s.put(
    'instancetypes/watchdogs/update',
    '/instancetypes/{{instanceType}}/watchdogs/{{instanceTypeWatchdog}}',
    { watchdog: { action: 'poweroff' } },
  );
  s.post(
    'instancetypes/consoles/add',
    '/instancetypes/{{instanceType}}/graphicsconsoles',
    { graphics_console: { protocol: 'vnc' } },
    { capture: { instanceTypeConsole: 'id' } },
  );
  s.both('instancetypes/consoles', '/instancetypes/{{instanceType}}/graphicsconsoles', {
    capture: { instanceTypeConsole2: first },
  });
  s.del(
    'instancetypes/consoles/remove',
    '/instancetypes/{{instanceType}}/graphicsconsoles/{{instanceTypeConsole2}}',
  );
  s.get('instancetypes/search', '/instancetypes?search=name%3Ddx*');
  s.del('instancetypes/remove', '/instancetypes/{{instanceTypeFull}}');
}
