// Affinity groups and labels.
import { first } from '../lib/session.mjs';

const unknown = '99999999-2222-3333-4444-555555555555';

export default function define(s) {
  const groups = '/clusters/{{cluster}}/affinitygroups';
  s.post(
    'groups/add',
    groups,
    { affinity_group: { name: 'dx_group', positive: true, enforcing: false } },
    { capture: { affinityGroup: 'id' } },
  );
  s.post(
    'groups/add-full',
    groups,
    {
      affinity_group: {
        name: 'dx_group_full',
        description: 'described',
        priority: '5.0',
        vms_rule: { enabled: true, positive: false, enforcing: true },
        hosts_rule: { enabled: true, positive: true, enforcing: false },
        vms: { vm: [{ id: '{{vm}}' }] },
        hosts: { host: [{ id: '{{host}}' }] },
      },
    },
    { as: 'json', capture: { affinityGroupFull: 'id' } },
  );
  s.post(
    'groups/add-hosts-rule',
    groups,
    {
      affinity_group: { name: 'dx_group_hosts', hosts_rule: { enforcing: true, positive: false } },
    },
    { capture: { affinityGroupHosts: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-name': { positive: true },
    duplicate: { name: 'dx_group', positive: true },
    blank: { name: 'dx group' },
    long: { name: `dx_${'g'.repeat(300)}` },
    bare: { name: 'dx_group_bare' },
    'unknown-vm': { name: 'dx_g', vms: { vm: [{ id: unknown }] } },
    'unknown-host': { name: 'dx_g', hosts: { host: [{ id: unknown }] } },
    priority: { name: 'dx_g', priority: 'abc' },
  }))
    s.postAndRemove(`groups/bad-${name}`, groups, { affinity_group: body });
  for (const name of ['affinityGroup', 'affinityGroupFull', 'affinityGroupHosts'])
    s.both(`groups/get/${name}`, `${groups}/{{${name}}}`);
  s.get(
    'groups/below-dc',
    '/datacenters/{{dc}}/clusters/{{cluster}}/affinitygroups/{{affinityGroup}}',
  );
  s.post('groups/vms/add', `${groups}/{{affinityGroup}}/vms`, { vm: { id: '{{vm}}' } });
  s.post('groups/vms/add-by-name', `${groups}/{{affinityGroup}}/vms`, {
    vm: { name: 'dx_vm_json' },
  });
  s.post('groups/vms/add-again', `${groups}/{{affinityGroup}}/vms`, { vm: { id: '{{vm}}' } });
  s.post('groups/vms/add-unknown', `${groups}/{{affinityGroup}}/vms`, { vm: { id: unknown } });
  s.post('groups/vms/add-nothing', `${groups}/{{affinityGroup}}/vms`, { vm: null });
  s.both('groups/vms', `${groups}/{{affinityGroup}}/vms`);
  s.get('groups/vms/get', `${groups}/{{affinityGroup}}/vms/{{vm}}`);
  s.post(
    'groups/hosts/add',
    `${groups}/{{affinityGroup}}/hosts`,
    { host: { id: '{{host}}' } },
    { as: 'json' },
  );
  s.both('groups/hosts', `${groups}/{{affinityGroup}}/hosts`);
  s.del('groups/hosts/remove', `${groups}/{{affinityGroup}}/hosts/{{host}}`);
  s.del('groups/vms/remove', `${groups}/{{affinityGroup}}/vms/{{vmJson}}`);
  s.del('groups/vms/remove-again', `${groups}/{{affinityGroup}}/vms/{{vmJson}}`);
  for (const [name, body] of Object.entries({
    description: { description: 'changed' },
    positive: { positive: false },
    enforcing: { enforcing: true },
    rules: { vms_rule: { enabled: true, positive: true, enforcing: false } },
    'rules-off': { vms_rule: { enabled: false } },
    priority: { priority: '2.5' },
    vms: { vms: { vm: [{ id: '{{vmJson}}' }] } },
    name: { name: 'dx_group_renamed' },
    duplicate: { name: 'dx_group_full' },
  }))
    s.put(
      `groups/update/${name}`,
      `${groups}/{{affinityGroup}}`,
      { affinity_group: body },
      { as: name === 'priority' ? 'json' : 'xml' },
    );
  s.get('groups/follow', `${groups}?follow=vms,hosts,vm_labels,host_labels`);

  s.post(
    'labels/add',
    '/affinitylabels',
    { affinity_label: { name: 'dx_label' } },
    { capture: { affinityLabel: 'id' } },
  );
  s.post(
    'labels/add-full',
    '/affinitylabels',
    {
      affinity_label: {
        name: 'dx_label_full',
        description: 'described',
        has_implicit_affinity_group: true,
        vms: { vm: [{ id: '{{vm}}' }] },
        hosts: { host: [{ id: '{{host}}' }] },
      },
    },
    { as: 'json', capture: { affinityLabelFull: 'id' } },
  );
  s.post('labels/duplicate', '/affinitylabels', { affinity_label: { name: 'dx_label' } });
  s.post('labels/nothing', '/affinitylabels', { affinity_label: null });
  s.post('labels/long', '/affinitylabels', { affinity_label: { name: `dx_${'l'.repeat(100)}` } });
  s.both('labels/get', '/affinitylabels/{{affinityLabelFull}}');
  s.post('labels/vms/add', '/affinitylabels/{{affinityLabel}}/vms', { vm: { id: '{{vmJson}}' } });
  s.post('labels/vms/by-name', '/affinitylabels/{{affinityLabel}}/vms', { vm: { name: 'dx_vm' } });
  s.post('labels/vms/unknown', '/affinitylabels/{{affinityLabel}}/vms', { vm: { id: unknown } });
  s.both('labels/vms', '/affinitylabels/{{affinityLabel}}/vms');
  s.get('labels/vms/get', '/affinitylabels/{{affinityLabel}}/vms/{{vmJson}}');
  s.del('labels/vms/remove', '/affinitylabels/{{affinityLabel}}/vms/{{vmJson}}');
  s.del('labels/vms/remove-again', '/affinitylabels/{{affinityLabel}}/vms/{{vmJson}}');
  s.post('labels/hosts/add', '/affinitylabels/{{affinityLabel}}/hosts', {
    host: { id: '{{host}}' },
  });
  s.both('labels/hosts', '/affinitylabels/{{affinityLabel}}/hosts');
  s.get('labels/hosts/get', '/affinitylabels/{{affinityLabel}}/hosts/{{host}}');
  s.del('labels/hosts/remove', '/affinitylabels/{{affinityLabel}}/hosts/{{host}}');
  s.post('labels/of-vm/add', '/vms/{{vm}}/affinitylabels', {
    affinity_label: { id: '{{affinityLabel}}' },
  });
  s.both('labels/of-vm', '/vms/{{vm}}/affinitylabels');
  s.get('labels/of-vm/get', '/vms/{{vm}}/affinitylabels/{{affinityLabel}}');
  s.del('labels/of-vm/remove', '/vms/{{vm}}/affinitylabels/{{affinityLabel}}');
  s.post('labels/of-host/add', '/hosts/{{host}}/affinitylabels', {
    affinity_label: { name: 'dx_label' },
  });
  s.both('labels/of-host', '/hosts/{{host}}/affinitylabels');
  s.put('labels/update', '/affinitylabels/{{affinityLabel}}', {
    affinity_label: { name: 'dx_label_renamed', description: 'changed' },
  });
  s.put('labels/update-vms', '/affinitylabels/{{affinityLabel}}', {
    affinity_label: { vms: { vm: [{ id: '{{vm}}' }] } },
  });
  s.get('labels/follow', '/affinitylabels?follow=vms,hosts');
  for (const part of ['vmlabels', 'hostlabels']) {
    s.post(`groups/${part}/add`, `${groups}/{{affinityGroup}}/${part}`, {
      affinity_label: { id: '{{affinityLabel}}' },
    });
    s.post(`groups/${part}/add-nothing`, `${groups}/{{affinityGroup}}/${part}`, {
      affinity_label: null,
    });
    s.both(`groups/${part}`, `${groups}/{{affinityGroup}}/${part}`, {
      capture: { [`group:${part}`]: first },
    });
    s.get(`groups/${part}/get`, `${groups}/{{affinityGroup}}/${part}/{{group:${part}}}`);
    s.del(`groups/${part}/remove`, `${groups}/{{affinityGroup}}/${part}/{{group:${part}}}`);
  }
  s.both('groups', groups);
  s.both('labels', '/affinitylabels');
  s.del('groups/remove', `${groups}/{{affinityGroupFull}}`);
  s.del('groups/remove-again', `${groups}/{{affinityGroupFull}}`);
  s.del('labels/remove', '/affinitylabels/{{affinityLabelFull}}');
}
