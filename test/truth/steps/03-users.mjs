// Users, groups, permissions, options, keys and subscriptions of the internal domain.
import { first } from '../lib/session.mjs';

export default function define(s) {
  s.post('add-unknown', '/users', {
    user: { user_name: 'dx_nobody@internal-authz', domain: { name: 'internal-authz' } },
  });
  s.post('add-admin-again', '/users', {
    user: { user_name: 'admin@internal-authz', domain: { id: '{{domain}}' } },
  });
  s.post('add-without-domain', '/users', { user: { user_name: 'admin' } });
  s.post('add-unknown-domain', '/users', {
    user: { user_name: 'admin', domain: { name: 'dx_no_domain' } },
  });
  s.post('add-without-name', '/users', { user: { domain: { id: '{{domain}}' } } });
  s.post('add-principal', '/users', {
    user: {
      user_name: 'admin@internal-authz',
      principal: 'admin',
      namespace: '*',
      domain: { id: '{{domain}}' },
    },
  });
  s.get('search', '/users?search=usrname%3Dadmin');
  for (const search of [
    'name=admin',
    'usrname=admin@internal-authz',
    'login=admin',
    'lastname=*',
    'department=',
    'directory=internal-authz',
    'type=DBUser',
    'tag=dx_tag_renamed',
    'vms.name=*',
    'sortby usrname desc',
    'nonsense=1',
  ])
    s.get(`search/${search}`, `/users?search=${encodeURIComponent(search)}`, {
      topic: 'search of users',
    });
  s.put('update-options', '/users/{{admin}}', {
    user: { user_options: { property: [{ name: 'dx_option', value: '"x"' }] } },
  });
  s.put('update-merge', '/users/{{admin}}?merge=true', {
    user: { user_options: { property: [{ name: 'dx_option2', value: '"y"' }] } },
  });
  s.put('update-name', '/users/{{admin}}', { user: { name: 'changed' } });
  s.post(
    'options/add',
    '/users/{{admin}}/options',
    { user_option: { name: 'dx_opt', content: '{"a":1}' } },
    { capture: { userOption: 'id' } },
  );
  s.post(
    'options/add-json',
    '/users/{{admin}}/options',
    { user_option: { name: 'dx_opt2', content: '"text"' } },
    { as: 'json', capture: { userOption2: 'id' } },
  );
  s.post('options/not-json', '/users/{{admin}}/options', {
    user_option: { name: 'dx_opt3', content: 'not json' },
  });
  s.post('options/duplicate', '/users/{{admin}}/options', {
    user_option: { name: 'dx_opt', content: '2' },
  });
  s.post('options/nothing', '/users/{{admin}}/options', { user_option: null });
  s.both('options', '/users/{{admin}}/options');
  s.both('options/get', '/users/{{admin}}/options/{{userOption}}');
  s.del('options/remove', '/users/{{admin}}/options/{{userOption}}');
  s.del('options/remove-2', '/users/{{admin}}/options/{{userOption2}}');
  const key =
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQCt1RiVeV9KMQbeT9vdRCljOjQUS7OETfYAZUb2Do2qPy0k/PQCC/3vdHC2zFPKujZ03tfu5fiQvE5QeQIEZtGYhJnESNfn+aNXRTQNA7Ceq9lJDZhccSRfIMyEGKZ+aD6oA8l0SAMgZI1n2+PLuXXPxb3ZlNBttvLja0G482iwX1XrOBmwsIN9Rd3V1cCwdE1HzMl7LWQEytSfx4UeFjTZ93b0PkY4nhubWRdwD20NvRLXSh+nwL3vAnnUkGJhTtYPgtFudHU50Ik33oSFHYv1P9vqZx/0nghdPa+tI15ZiZWybxnceQOCVa+Kz2fkX7FbBdpwsvHIBE7m34QqwpMN dx@example.com';
  s.post(
    'keys/add',
    '/users/{{admin}}/sshpublickeys',
    { ssh_public_key: { content: key } },
    { capture: { sshKey: 'id' } },
  );
  s.post('keys/second', '/users/{{admin}}/sshpublickeys', {
    ssh_public_key: { content: `${key}2` },
  });
  s.post('keys/nonsense', '/users/{{admin}}/sshpublickeys', {
    ssh_public_key: { content: 'nonsense' },
  });
  s.post('keys/nothing', '/users/{{admin}}/sshpublickeys', { ssh_public_key: null });
  s.both('keys', '/users/{{admin}}/sshpublickeys');
  s.both('keys/get', '/users/{{admin}}/sshpublickeys/{{sshKey}}');
  s.put('keys/update', '/users/{{admin}}/sshpublickeys/{{sshKey}}', {
    ssh_public_key: { content: key.replace('dx@', 'dx2@') },
  });
  s.del('keys/remove', '/users/{{admin}}/sshpublickeys/{{sshKey}}');
  s.post(
    'subscriptions/add',
    '/users/{{admin}}/eventsubscriptions',
    {
      event_subscription: {
        event: 'host_high_cpu_use',
        notification_method: 'smtp',
        address: 'dx@example.com',
      },
    },
    { capture: { subscription: 'id' } },
  );
  s.post('subscriptions/other-address', '/users/{{admin}}/eventsubscriptions', {
    event_subscription: {
      event: 'host_high_swap_use',
      notification_method: 'smtp',
      address: 'dx2@example.com',
    },
  });
  s.post('subscriptions/nothing', '/users/{{admin}}/eventsubscriptions', {
    event_subscription: null,
  });
  s.post('subscriptions/nonsense', '/users/{{admin}}/eventsubscriptions', {
    event_subscription: { event: 'nonsense' },
  });
  s.both('subscriptions', '/users/{{admin}}/eventsubscriptions');
  s.get('subscriptions/get', '/users/{{admin}}/eventsubscriptions/host_high_cpu_use');
  s.del('subscriptions/remove', '/users/{{admin}}/eventsubscriptions/host_high_cpu_use');
  s.post('tags/add', '/users/{{admin}}/tags', { tag: { name: 'dx_tag_renamed' } });
  s.both('tags', '/users/{{admin}}/tags');
  s.get('tags/get', '/users/{{admin}}/tags/{{tag}}');
  s.del('tags/remove', '/users/{{admin}}/tags/{{tag}}');
  s.del('remove-admin', '/users/{{admin}}');

  // Groups.
  s.post('groups/add-unknown', '/groups', {
    group: { name: 'dx_nogroup', domain: { name: 'internal-authz' } },
  });
  s.post('groups/add-nothing', '/groups', { group: null });
  s.post('groups/add-without-domain', '/groups', { group: { name: 'dx_nogroup' } });
  s.get('groups/search', '/groups?search=name%3DEveryone');
  s.post('groups/tags/add', '/groups/{{everyone}}/tags', { tag: { id: '{{tag}}' } });
  s.get('groups/tags', '/groups/{{everyone}}/tags');
  s.del('groups/tags/remove', '/groups/{{everyone}}/tags/{{tag}}');
  s.del('groups/remove-everyone', '/groups/{{everyone}}');

  // Permissions: on the system, on an object, by user and by group.
  s.post(
    'permissions/system',
    '/permissions',
    { permission: { role: { id: '{{userRole}}' }, group: { id: '{{everyone}}' } } },
    { capture: { permissionSystem: 'id' } },
  );
  s.post(
    'permissions/system-by-role-name',
    '/permissions',
    { permission: { role: { name: 'UserVmManager' }, user: { id: '{{admin}}' } } },
    { as: 'json', capture: { permissionSystem2: 'id' } },
  );
  s.post('permissions/system-again', '/permissions', {
    permission: { role: { id: '{{userRole}}' }, group: { id: '{{everyone}}' } },
  });
  s.both('permissions/get', '/permissions/{{permissionSystem}}');
  s.post(
    'permissions/cluster',
    '/clusters/{{defaultCluster}}/permissions',
    { permission: { role: { name: 'ClusterAdmin' }, user: { id: '{{admin}}' } } },
    { capture: { permissionCluster: 'id' } },
  );
  s.post(
    'permissions/datacenter',
    '/datacenters/{{defaultDc}}/permissions',
    { permission: { role: { name: 'UserRole' }, group: { id: '{{everyone}}' } } },
    { as: 'json', capture: { permissionDc: 'id' } },
  );
  for (const [name, body] of Object.entries({
    nothing: {},
    'no-role': { user: { id: '{{admin}}' } },
    'no-principal': { role: { id: '{{userRole}}' } },
    'unknown-role': {
      role: { id: '99999999-2222-3333-4444-555555555555' },
      user: { id: '{{admin}}' },
    },
    'unknown-role-name': { role: { name: 'dx_no_role' }, user: { id: '{{admin}}' } },
    'unknown-user': {
      role: { id: '{{userRole}}' },
      user: { id: '99999999-2222-3333-4444-555555555555' },
    },
    'user-by-name': { role: { id: '{{userRole}}' }, user: { name: 'admin' } },
    'both-principals': {
      role: { id: '{{userRole}}' },
      user: { id: '{{admin}}' },
      group: { id: '{{everyone}}' },
    },
  }))
    s.postAndRemove(`permissions/${name}`, '/clusters/{{defaultCluster}}/permissions', {
      permission: body,
    });
  s.post(
    'permissions/of-user',
    '/users/{{admin}}/permissions',
    { permission: { role: { name: 'UserRole' }, cluster: { id: '{{defaultCluster}}' } } },
    { capture: { permissionOfUser: 'id' } },
  );
  s.post('permissions/of-user-without-object', '/users/{{admin}}/permissions', {
    permission: { role: { name: 'UserRole' } },
  });
  s.post(
    'permissions/of-group',
    '/groups/{{everyone}}/permissions',
    {
      permission: {
        role: { name: 'UserRole' },
        template: { id: '00000000-0000-0000-0000-000000000000' },
      },
    },
    { capture: { permissionOfGroup: 'id' } },
  );
  s.both('permissions/cluster/list', '/clusters/{{defaultCluster}}/permissions');
  s.both(
    'permissions/cluster/get',
    '/clusters/{{defaultCluster}}/permissions/{{permissionCluster}}',
  );
  s.both('permissions/user/list', '/users/{{admin}}/permissions');
  s.get('permissions/user/get', '/users/{{admin}}/permissions/{{permissionOfUser}}');
  s.get('permissions/follow', '/clusters/{{defaultCluster}}/permissions?follow=role,user');
  s.get('permissions/follow-missing', '/clusters/{{defaultCluster}}/permissions?follow=group');
  s.both('roles/user', '/users/{{admin}}/roles', { capture: { roleOfUser: first } });
  s.get('roles/user/get', '/users/{{admin}}/roles/{{roleOfUser}}');
  s.get('roles/user/permits', '/users/{{admin}}/roles/{{roleOfUser}}/permits');
  for (const name of ['permissionSystem', 'permissionSystem2'])
    s.del(`permissions/remove-${name}`, `/permissions/{{${name}}}`);
  s.del(
    'permissions/remove-cluster',
    '/clusters/{{defaultCluster}}/permissions/{{permissionCluster}}',
  );
  s.del('permissions/remove-datacenter', '/datacenters/{{defaultDc}}/permissions/{{permissionDc}}');
  s.del('permissions/remove-of-user', '/users/{{admin}}/permissions/{{permissionOfUser}}');
  s.del('permissions/remove-of-group', '/groups/{{everyone}}/permissions/{{permissionOfGroup}}');
  s.del('permissions/remove-again', '/permissions/{{permissionSystem}}');
  s.both('permissions/list', '/permissions');
}
