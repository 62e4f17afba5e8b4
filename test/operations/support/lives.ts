/** Common behaviour of collections: an added object is listed, read, changed and removed. */
import { expect } from 'vitest';
import type { People } from './site.ts';
import type { Thing } from './speaker.ts';

/** Each item of a collection is found alone, and is the same there. */
export async function foundAlone({ admin }: People, ...lists: readonly string[]): Promise<void> {
  for (const list of lists) {
    const { list: items, text } = await admin.get(list);
    expect(items.length, `${list} is empty: ${text}`).toBeGreaterThan(0);
    const [item] = items;
    const { status, object } = await admin.get(`${list}/${item?.['id']}`);
    expect(status, list).toBe(200);
    expect(object, list).toMatchObject({ id: item?.['id'], href: item?.['href'] });
  }
}

export interface Life {
  readonly list: string;
  /** The document that is added: one member. */
  readonly add: Thing;
  /** Changed attributes, if the object is changeable. */
  readonly change?: Thing;
  /** Id to find, if it differs from that in the response. */
  readonly id?: string;
}

/** Adds, lists, finds, changes and removes. */
export async function livesIn({ admin }: People, { list, add, change, id }: Life): Promise<void> {
  const [type = ''] = Object.keys(add);
  const added = await admin.add(list, add);
  const own = `${list}/${id ?? added.id}`;
  const ids = async () => (await admin.get(list)).list.map((one) => one['id']);
  expect(await ids(), list).toContain(id ?? added.id);
  expect((await admin.get(own)).object['id'], own).toBe(id ?? added.id);
  if (change) {
    const answer = await admin.put(own, { [type]: change });
    expect(answer.status, answer.text).toBe(200);
    expect((await admin.get(own)).object, own).toMatchObject(change);
  }
  const { status, text } = await admin.delete(own);
  expect(status, text).toBe(200);
  expect(await ids(), own).not.toContain(id ?? added.id);
  expect((await admin.get(own)).status, own).toBe(404);
}
