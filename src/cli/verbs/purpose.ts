/** What a verb does, in one sentence. */

import { actionPurposes } from './action-purposes.ts';
import type { Verb } from './derive-verbs.ts';
import { humanNoun } from './flags.ts';

const kinds: Readonly<Record<string, (one: string, many: string) => string>> = {
  list: (_, many) => `List ${many}`,
  get: (one) => `Show ${withArticle(one)}`,
  create: (one) => `Create ${withArticle(one)}`,
  update: (one) => `Change ${withArticle(one)}`,
  delete: (one) => `Delete ${withArticle(one)}`,
  wait: (one) => `Wait until ${withArticle(one)} is in a state`,
  attach: (one) => `Attach ${withArticle(one)}`,
  detach: (one) => `Detach ${withArticle(one)}`,
  assign: (one) => `Put ${withArticle(one)} on an object`,
  unassign: (one) => `Take ${withArticle(one)} off an object`,
  grant: () => 'Give a role to a user or group',
  revoke: () => 'Take a role away',
  change: (one) => `Change ${withArticle(one)}`,
  stats: (one) => `Show measured values of ${withArticle(one)}`,
};

/** One sentence without a full stop: `Start a virtual machine`. */
export function purposeOf(verb: Verb): string {
  const one = humanNoun(verb.noun);
  const many = pluralOf(one);
  const known = kinds[verb.name];
  if (known && verb.kind !== 'action') return known(one, many);
  if (verb.membership) {
    const [member, members] = verb.membership.words.map((word) => word.replaceAll('-', ' '));
    const of = withArticle(one);
    if (verb.kind === 'list') return `List the ${members} of ${of}`;
    if (verb.kind === 'get') return `Show a ${member} of ${of}`;
    return verb.kind === 'add' ? `Add a ${member} to ${of}` : `Remove a ${member} from ${of}`;
  }
  const told = actionPurposes[`${verb.noun} ${verb.name}`] ?? actionPurposes[verb.name];
  if (told !== undefined) return told.replace('{}', withArticle(one));
  const words = verb.name.replaceAll('-', ' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)} ${withArticle(one)}`;
}

function withArticle(noun: string): string {
  return `${/^([aeio]|iSCSI|u(?!ser|nit))/i.test(noun) ? 'an' : 'a'} ${noun}`;
}

function pluralOf(noun: string): string {
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return noun.endsWith('s') ? noun : `${noun}s`;
}
