/** Bookmarks: stored search queries. */
import { describe, expect } from 'vitest';
import { row } from './support/rows.ts';
import { useSite } from './support/site.ts';

const site = useSite();

describe(row(159), () => {
  site.both('adds a bookmark', async ({ admin, name }) => {
    const bookmark = { name: name('mine'), value: 'Vms: status=up' };
    const { status, object, headers, text } = await admin.post('/bookmarks', { bookmark });
    expect(status, text).toBe(201);
    expect(object).toMatchObject(bookmark);
    expect(headers['location']).toBe(object['href']);
  });
  site.both('refuses a name in use', async ({ admin, name }) => {
    const bookmark = { name: name('twice'), value: 'Hosts:' };
    await admin.add('/bookmarks', { bookmark });
    const { status, fault } = await admin.post('/bookmarks', { bookmark });
    expect(status).toBe(409);
    expect(fault?.detail).toContain(bookmark.name);
  });
  site.incomplete('POST', '/bookmarks', { bookmark: { value: 'Hosts:' } }, 'name');
  site.incomplete('POST', '/bookmarks', { bookmark: { name: 'empty' } }, 'value');
  site.forbidden('POST', '/bookmarks', { bookmark: { name: 'not mine', value: 'Hosts:' } });
});

describe(row(160), () => {
  site.both('lists bookmarks, at most the requested number', async ({ admin, name }) => {
    const names = [name('one'), name('two')];
    for (const one of names) await admin.add('/bookmarks', { bookmark: { name: one, value: '*' } });
    const { status, list } = await admin.get('/bookmarks');
    expect(status).toBe(200);
    expect(list.map((one) => one['name'])).toEqual(expect.arrayContaining(names));
    expect((await admin.get('/bookmarks?max=1')).list).toHaveLength(1);
  });
});

describe(row(161), () => {
  site.both('gets a bookmark', async ({ admin, name }) => {
    const bookmark = { name: name('mine'), value: 'Events: severity=error' };
    const { id } = await admin.add('/bookmarks', { bookmark });
    const { status, object } = await admin.get(`/bookmarks/${id}`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ ...bookmark, id });
  });
  site.unknown('GET', '/bookmarks/{unknown}');
});

describe(row(162), () => {
  site.both('changes what was sent, and nothing else', async ({ admin, name }) => {
    const bookmark = { name: name('mine'), value: 'Vms:' };
    const { id } = await admin.add('/bookmarks', { bookmark });
    const changed = await admin.put(`/bookmarks/${id}`, { bookmark: { value: 'Vms: status=up' } });
    expect(changed.status, changed.text).toBe(200);
    expect(changed.object).toMatchObject({ name: bookmark.name, value: 'Vms: status=up' });
  });
  site.both('refuses to change the id', async ({ admin, name, path }) => {
    const { id } = await admin.add('/bookmarks', { bookmark: { name: name('b'), value: '*' } });
    const answer = await admin.put(`/bookmarks/${id}`, { bookmark: { id: path('{vm}') } });
    expect(answer.status).toBe(409);
    expect(answer.fault?.reason).toBe('Broken immutability constraint');
  });
  site.unknown('PUT', '/bookmarks/{unknown}', { bookmark: { value: '*' } });
});

describe(row(163), () => {
  site.both('removes a bookmark', async ({ admin, name, jane }) => {
    const { id } = await admin.add('/bookmarks', { bookmark: { name: name('b'), value: '*' } });
    expect((await jane.delete(`/bookmarks/${id}`)).status).toBe(403);
    const { status, object } = await admin.delete(`/bookmarks/${id}`);
    expect([status, object['status']]).toEqual([200, 'complete']);
    expect((await admin.get(`/bookmarks/${id}`)).status).toBe(404);
  });
  site.unknown('DELETE', '/bookmarks/{unknown}');
});
