/** What `--for` waits for: `status=up`, `exists`, `gone`, `settled`. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { type Condition, conditionFor, getState, stateAttribute } from '../../client/poll.ts';
import { parseKind } from '../../model/index.ts';
import { parseValue } from '../args/values.ts';
import { plainText, valueAt } from '../output/cells.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { valuedAt, wordsAt } from './fields.ts';

/** Any state that does not end by itself. */
function settled(type: string): Condition {
  const goal = conditionFor(type, [], '');
  return { ...goal, isMet: (now) => now !== undefined && goal.isMet(now) };
}

/** Reads a condition for objects of a type: `status=up`. Throws a usage error where it is none. */
export function conditionOf(text: string, type: string): Condition {
  const currentState = (now: ApiObject | undefined) => getState(type, now);
  switch (text) {
    case 'exists':
      return { text, isMet: (now) => now !== undefined, getState: currentState };
    case 'gone':
      return { text, isMet: (now) => now === undefined, getState: currentState };
    case 'settled':
      return settled(type);
    default:
      return comparison(text, type);
  }
}

function comparison(text: string, type: string): Condition {
  const [, given = '', sign = '', wanted = ''] = /^([\w.]+)(!?=)(.*)$/.exec(text) ?? [];
  if (sign === '') {
    throw new UsageError(`--for ${text}: not a condition`, {
      hint: 'use status=up, status!=locked, exists, gone or settled; wait also accepts event=32',
    });
  }
  const path = given === 'status' ? (stateAttribute(type) ?? given) : given;
  const valued = valuedAt({ type }, path);
  if (!valued) {
    const near = closeMatches(path, wordsAt({ type }, ''));
    throw new UsageError(`--for ${text}: ${type.replaceAll('_', ' ')} has no ${path}`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `vmctl explain ${type}`,
    });
  }
  const { form, of, list } = parseKind(valued.kind);
  const isPlain = (form === 'enum' || form === 'scalar') && !list;
  // A misspelt state would be waited for in vain.
  const value = isPlain ? parseValue(wanted, valued, `--for ${path}`) : wanted;
  // Services write dates in several ways.
  const expected = of === 'date' ? wanted : plainText(value);
  const isState = path === stateAttribute(type);
  const textOf = (now: ApiObject) => plainText(valueAt(now, path));
  return {
    text: `${path}${sign}${wanted}`,
    getState: (now) =>
      isState || now === undefined ? getState(type, now) : `${path}=${textOf(now)}`,
    isMet: (now) => now !== undefined && (textOf(now) === expected) === (sign === '='),
  };
}
