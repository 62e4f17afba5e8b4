/** Objects that requests cannot create: domains with their users and groups, ISO files, images. */

import { bondAction, bondBody } from '../../definitions/bonds.ts';
import { isRecord } from '../../records.ts';
import type { SourcePlace } from '../../source-place.ts';
import * as generic from '../api/generic.ts';
import { splitUserName } from '../auth/permissions.ts';
import { requireAction } from '../core/behavior.ts';
import { type CollectionRef, resolveCollection } from '../core/collection-ref.ts';
import type { RuleContext } from '../core/context.ts';
import { namedId } from '../core/random.ts';
import { createDirectoryEntry, formatEntryId } from '../resources/identity.ts';
import { addImage, findProviderDomain } from '../resources/provider/images.ts';
import { addFile } from '../resources/storage/file.ts';
import type { StoredObject } from '../store/kinds.ts';

type Give = (ctx: RuleContext, ref: CollectionRef, item: StoredObject) => StoredObject;

const givers: Readonly<Record<string, Give>> = {
  domain(ctx, _place, { name }) {
    const domain = { id: namedId(String(name)), name: String(name) };
    ctx.tx.insert('domain', '/domains', domain);
    return domain;
  },

  directory_user: (ctx, ref, item) =>
    giveEntry(ctx, 'directory_user', ref.owner?.id ?? '', readLogin(item), item),

  directory_group: (ctx, ref, item) =>
    giveEntry(ctx, 'directory_group', ref.owner?.id ?? '', String(item['name']), item),

  host_nic(ctx, ref, bond) {
    const host = ref.owner?.id ?? '';
    const target = generic.find(ctx, resolveCollection(ctx.tx, '/hosts', []), host);
    requireAction(ctx, 'host', bondAction.name)(ctx, target, bondBody(bond));
    const nics = ctx.tx.list('host_nic', { where: { host_id: host } });
    return nics.find(({ name }) => name === bond['name']) ?? {};
  },

  file: (ctx, ref, { name }) => addFile(ctx, ref.owner?.id ?? '', String(name), true),

  image: (ctx, ref, { name, size }) =>
    addImage(ctx, ref.owner?.id ?? '', String(name), Number(size ?? defaultImage)),

  openstack_image: (ctx, ref, { name, size }) =>
    addImage(
      ctx,
      findProviderDomain(ctx, ref.owner?.id ?? '')?.id ?? '',
      String(name),
      Number(size ?? defaultImage),
    ),
};

/** Default size of an image in bytes. */
const defaultImage = 2 ** 30;

/** Adds an object that requests cannot create; undefined for other types. */
export function addUnpostable(
  ctx: RuleContext,
  ref: CollectionRef,
  item: StoredObject,
  where: SourcePlace,
): StoredObject | undefined {
  const giver = givers[ref.kind];
  if (!giver) return undefined;
  if (readLogin(item) === '') throw new Error(`${where}: name missing`);
  return giver(ctx, ref, item);
}

/** Adds the user or group in a document to the directory. */
export function addToDirectory(ctx: RuleContext, ref: CollectionRef, item: StoredObject): void {
  if (ref.kind !== 'user' && ref.kind !== 'group') return;
  const name = readLogin(item).replace(/-authz$/, '');
  const { domain } = item;
  const requested = isRecord(domain) ? domain['name'] : domain;
  const profile = splitUserName(name)?.profile;
  const called = requested ?? (profile === undefined ? undefined : `${profile}-authz`);
  if (called === undefined) return;
  const id = ctx.tx.byName('domain', String(called))?.id ?? namedId(String(called));
  if (!ctx.tx.get('domain', id)) ctx.tx.insert('domain', '/domains', { id, name: String(called) });
  giveEntry(ctx, `directory_${ref.kind}`, id, name, {});
}

function readLogin(item: StoredObject): string {
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
  const present = ctx.tx.get(kind, formatEntryId(name), collection);
  if (present) return present;
  const entry = createDirectoryEntry(
    kind,
    name,
    domain,
    String(ctx.tx.get('domain', domain)?.name),
  );
  const { name: _name, user_name: _login, ...more } = item;
  ctx.tx.insert(kind, collection, { ...entry, ...more });
  return entry;
}
