/** What can be waited for: `--for status=up`, `exists`, `gone`, `settled`. */
import type { Thing } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { type Goal, goalOf, stateAttribute, stateOf } from '../../client/settle.ts';
import { parseKind } from '../../model/index.ts';
import { parseValue } from '../args/values.ts';
import { plainText, valueAt } from '../output/cells.ts';
import { nearest } from '../text/did-you-mean.ts';
import { kindAt, wordsAt } from './fields.ts';

/** Any state that does not end by itself. */
export function settled(type: string): Goal {
  const goal = goalOf(type, [], '');
  return { ...goal, isReached: (now) => now !== undefined && goal.isReached(now) };
}

/** Reads a condition for objects of a type. */
export function conditionOf(text: string, type: string): Goal {
  const told = (now: Thing | undefined) => stateOf(type, now);
  switch (text) {
    case 'exists':
      return { text, isReached: (now) => now !== undefined, stateOf: told };
    case 'gone':
      return { text, isReached: (now) => now === undefined, stateOf: told };
    case 'settled':
      return settled(type);
    default:
      return comparison(text, type);
  }
}

function comparison(text: string, type: string): Goal {
  const [, given = '', sign = '', wanted = ''] = /^([\w.]+)(!?=)(.*)$/.exec(text) ?? [];
  if (sign === '') {
    throw new UsageError(`--for ${text}: not a condition`, {
      hint: 'write status=up, status!=locked, exists, gone or settled',
    });
  }
  const path = given === 'status' ? (stateAttribute(type) ?? given) : given;
  const kind = kindAt({ type }, path);
  if (!kind) {
    const near = nearest(path, wordsAt({ type }, ''));
    throw new UsageError(`--for ${text}: ${type.replaceAll('_', ' ')} has no ${path}`, {
      hint:
        near.length > 0
          ? `did you mean ${near.join(' or ')}?`
          : `vmctl explain ${type} lists its attributes`,
    });
  }
  const { form, list } = parseKind(kind);
  // A misspelt state would be waited for in vain.
  if ((form === 'enum' || form === 'scalar') && !list) parseValue(wanted, kind, `--for ${path}`);
  const isState = path === stateAttribute(type);
  const textOf = (now: Thing) => plainText(valueAt(now, path));
  return {
    text: `${path}${sign}${wanted}`,
    stateOf: (now) =>
      isState || now === undefined ? stateOf(type, now) : `${path}=${textOf(now)}`,
    isReached: (now) => now !== undefined && (textOf(now) === wanted) === (sign === '='),
  };
}
