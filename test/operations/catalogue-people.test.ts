/** Events about people: tags, permissions, roles, users and their properties. */
import { describe, expect } from 'vitest';
import { type Expected, type Scene, testEvents, who } from './support/catalogue.ts';
import { type People, useSite } from './support/site.ts';

const site = useSite();
const normal = (code: number, text: string): Expected => [code, 'normal', text];

/** Taggable objects: path, name in the event, and event codes. */
const tagged: readonly [path: string, called: string, on: number, off: number, there: number][] = [
  ['/vms/{vm}', 'VM', 440, 446, 454],
  ['/hosts/{host}', 'host', 442, 444, 455],
  ['/templates/{template}', 'template', 183, 185, 460],
  ['/users/{user}', 'user', 436, 448, 452],
  ['/groups/{group}', 'group', 438, 450, 453],
];

const tags: readonly Scene[] = tagged.map(([template, called, on, off, there]) => [
  `a tag is assigned to a ${called}, twice, and removed`,
  async ({ admin, name, path }) => {
    const tag = name('tag');
    const { id } = await admin.add('/tags', { tag: { name: tag } });
    const { object } = await admin.get(path(template));
    const what = `${called} ${String(object['user_name'] ?? object['name'])}`;
    const tagsThere = path(`${template}/tags`);
    await admin.add(tagsThere, { tag: { id } });
    await admin.add(tagsThere, { tag: { id } });
    await admin.put(`/tags/${id}`, { tag: { description: 'x' } });
    expect((await admin.delete(`${tagsThere}/${id}`)).status).toBe(200);
    return [
      normal(on, `Tag ${tag} was attached to ${what} by ${who}.`),
      [there, 'warning', `Tag ${tag} is already attached to ${what}.`],
      normal(430, `Tag ${tag} configuration was updated by ${who}.`),
      normal(off, `Tag ${tag} was detached from ${what} by ${who}.`),
    ];
  },
]);

async function someUser({ admin }: People): Promise<string> {
  const user = { user_name: 'marco@internal', domain: { name: 'internal-authz' } };
  return (await admin.add('/users', { user })).id;
}

const people: readonly Scene[] = [
  [
    'a role is granted on a VM and on the system, and revoked',
    async (all) => {
      const { admin, path } = all;
      const user = { id: await someUser(all) };
      const vm = (await admin.get(path('/vms/{vm}'))).object;
      const permission = { role: { name: 'UserRole' }, user };
      const one = await admin.add(path('/vms/{vm}/permissions'), { permission });
      await admin.delete(path(`/vms/{vm}/permissions/${one.id}`));
      const whole = await admin.add('/permissions', { permission });
      await admin.delete(`/permissions/${whole.id}`);
      return [
        normal(
          850,
          `marco@internal-authz was granted role UserRole on vm ${vm['name']} by ${who}.`,
        ),
        normal(
          852,
          `Role UserRole of marco@internal-authz on vm ${vm['name']} was removed by ${who}.`,
        ),
        normal(
          866,
          `marco@internal-authz was granted role UserRole on the whole system by ${who}.`,
        ),
        normal(
          868,
          `Role UserRole of marco@internal-authz on the whole system was removed by ${who}.`,
        ),
      ];
    },
  ],
  [
    'a role is created, changed and deleted',
    async ({ admin, name }) => {
      const role = name('role');
      const permits = { permit: [{ name: 'run_vm' }] };
      const { id } = await admin.add('/roles', { role: { name: role, permits } });
      await admin.put(`/roles/${id}`, { role: { description: 'x' } });
      const added = await admin.add(`/roles/${id}/permits`, { permit: { name: 'login' } });
      expect((await admin.delete(`/roles/${id}/permits/${added.id}`)).status).toBe(200);
      expect((await admin.delete(`/roles/${id}`)).status).toBe(200);
      return [
        normal(864, `Role ${role} was created by ${who}.`),
        normal(856, `Role ${role} was updated by ${who}.`),
        normal(860, `Permit login was added to role ${role} by ${who}.`),
        normal(862, `Permit login was removed from role ${role} by ${who}.`),
        normal(858, `Role ${role} was removed by ${who}.`),
      ];
    },
  ],
  [
    'users and groups are added and removed, with their properties',
    async (all) => {
      const { admin } = all;
      const id = await someUser(all);
      const user = `/users/${id}`;
      const option = await admin.add(`${user}/options`, {
        user_option: { name: 'theme', content: '"dark"' },
      });
      await admin.delete(`${user}/options/${option.id}`);
      const key = await admin.add(`${user}/sshpublickeys`, {
        ssh_public_key: {
          name: 'laptop',
          content: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkV marco',
        },
      });
      await admin.put(`${user}/sshpublickeys/${key.id}`, { ssh_public_key: { comment: 'x' } });
      await admin.delete(`${user}/sshpublickeys/${key.id}`);
      const subscription = await admin.add(`${user}/eventsubscriptions`, {
        event_subscription: {
          event: 'host_failure',
          notification_method: 'smtp',
          address: 'marco@example.com',
        },
      });
      await admin.delete(`${user}/eventsubscriptions/${subscription.id}`);
      await admin.delete(user);
      await someUser(all);
      const group = { name: 'auditors', domain: { name: 'internal-authz' } };
      const added = await admin.add('/groups', { group });
      await admin.delete(`/groups/${added.id}`);
      return [
        normal(870, `theme was added to the profile of user marco by ${who}.`),
        normal(874, `theme was removed from the profile of user marco by ${who}.`),
        normal(870, `laptop was added to the profile of user marco by ${who}.`),
        normal(872, `laptop in the profile of user marco was updated by ${who}.`),
        normal(874, `laptop was removed from the profile of user marco by ${who}.`),
        normal(872, `host_failure in the profile of user marco was updated by ${who}.`),
        normal(325, `User marco@internal-authz was removed by ${who}.`),
        normal(149, 'User marco@internal-authz was added to the system.'),
        normal(149, 'User auditors was added to the system.'),
        normal(408, `Group auditors was removed by ${who}.`),
      ];
    },
  ],
];

describe('events about tags', () => testEvents(site, tags));
describe('events about people', () => testEvents(site, people));

describe('a role of the service itself', () => {
  site.both('keeps its permits', async ({ admin }) => {
    const { id } = await admin.find('/roles', 'UserRole');
    const answer = await admin.post(`/roles/${id}/permits`, { permit: { name: 'create_vm' } });
    expect(answer.status, answer.text).toBe(409);
  });
});
