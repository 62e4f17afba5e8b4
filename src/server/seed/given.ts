/**
 * What no request can add, but a file can give: who is in the simulated directory, ISO files, images
 * of a repository. It comes beside what the server has by itself.
 */
import { settled } from '../../definitions/values.ts';
import { splitUserName } from '../auth/users.ts';
import type { Place } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { namedId } from '../core/digest.ts';
import { directoryId, entryOf } from '../resources/people/directory.ts';
import { addImage, domainOfProvider } from '../resources/provider/domain.ts';
import { addFile } from '../resources/storage/file.ts';
import { isRecord, type StoredObject } from '../store/document.ts';

type Give = (ctx: RuleContext, place: Place, item: StoredObject) => StoredObject;

const givers: Readonly<Record<string, Give>> = {
  domain(ctx, _place, { name }) {
    const domain = { id: namedId(String(name)), name: String(name) };
    ctx.tx.insert('domain', '/domains', domain);
    return domain;
  },

  directory_user: (ctx, place, item) =>
    giveEntry(ctx, 'directory_user', place.owner?.id ?? '', loginOf(item), item),

  directory_group: (ctx, place, item) =>
    giveEntry(ctx, 'directory_group', place.owner?.id ?? '', String(item['name']), item),

  file: (ctx, place, { name }) => addFile(ctx, place.owner?.id ?? '', String(name), true),

  image: (ctx, place, { name, size }) =>
    addImage(ctx, place.owner?.id ?? '', String(name), Number(size ?? usualImage)),

  openstack_image: (ctx, place, { name, size }) =>
    addImage(
      ctx,
      domainOfProvider(ctx, place.owner?.id ?? '')?.id ?? '',
      String(name),
      Number(size ?? usualImage),
    ),
};

/** Bytes of an image whose size is not told. */
const usualImage = 2 ** 30;

/** Types whose attributes describe what is given, where the API shows less. */
const describedBy: Readonly<Record<string, string>> = { openstack_image: 'image' };

/** Adds what only a file can give; undefined for everything that requests can add. */
export function give(
  ctx: RuleContext,
  place: Place,
  item: StoredObject,
  where: string,
): StoredObject | undefined {
  const giver = givers[place.kind];
  if (!giver) return undefined;
  if (loginOf(item) === '') throw new Error(`${where}: it has no name`);
  return giver(ctx, place, settled(describedBy[place.type] ?? place.type, item, where));
}

/** Sees to it that the directory has the user or group that a file names. */
export function knowInDirectory(ctx: RuleContext, place: Place, item: StoredObject): void {
  if (place.kind !== 'user' && place.kind !== 'group') return;
  const name = loginOf(item).replace(/-authz$/, '');
  const { domain } = item;
  const asked = isRecord(domain) ? domain['name'] : domain;
  const found = ctx.tx.byName('domain', String(asked ?? `${splitUserName(name)?.profile}-authz`));
  // The rules say what is wrong with a domain that is not there.
  if (found?.id) giveEntry(ctx, `directory_${place.kind}`, found.id, name, {});
}

function loginOf(item: StoredObject): string {
  return String(item['user_name'] ?? item['name'] ?? '');
}

function giveEntry(
  ctx: RuleContext,
  kind: 'directory_user' | 'directory_group',
  domain: string,
  text: string,
  item: StoredObject,
): StoredObject {
  const collection = `/domains/${domain}/${kind === 'directory_user' ? 'users' : 'groups'}`;
  const name = splitUserName(text.replace(/-authz$/, ''))?.login ?? text;
  const present = ctx.tx.get(kind, directoryId(name), collection);
  if (present) return present;
  const entry = entryOf(kind, name, domain, String(ctx.tx.get('domain', domain)?.name));
  const { name: _name, user_name: _login, ...more } = item;
  ctx.tx.insert(kind, collection, { ...entry, ...more });
  return entry;
}
