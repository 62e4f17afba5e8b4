/** Conditions of `--for`: `status=up`, `exists`, `gone`, `settled`. */
import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import {
  type Condition,
  conditionFor,
  getState,
  stateAttribute,
} from '../../client/wait-for-condition.ts';
import { parseKind } from '../../model/index.ts';
import { parseValue } from '../args/values.ts';
import { formatPlain, getValue } from '../output/cells.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { findValueKind, listMembers } from './fields.ts';

/** Condition for any state that does not end automatically. */
function createSettledCondition(type: string): Condition {
  const goal = conditionFor(type, [], '');
  return { ...goal, isMet: (now) => now !== undefined && goal.isMet(now) };
}

/**
 * Parses a condition for objects of a type: `status=up`. Throws `UsageError` for invalid
 * conditions.
 */
export function parseCondition(text: string, type: string): Condition {
  const currentState = (now: ApiObject | undefined) => getState(type, now);
  switch (text) {
    case 'exists':
      return { text, isMet: (now) => now !== undefined, getState: currentState };
    case 'gone':
      return { text, isMet: (now) => now === undefined, getState: currentState };
    case 'settled':
      return createSettledCondition(type);
    default:
      return parseComparison(text, type);
  }
}

function parseComparison(text: string, type: string): Condition {
  const [, given = '', sign = '', wanted = ''] = /^([\w.]+)(!?=)(.*)$/.exec(text) ?? [];
  if (sign === '') {
    throw new UsageError(`--for ${text}: not a condition`, {
      hint: 'use status=up, status!=locked, exists, gone or settled; wait also accepts event=32',
    });
  }
  const path = given === 'status' ? (stateAttribute(type) ?? given) : given;
  const valued = findValueKind({ type }, path);
  if (!valued) {
    const near = findCloseMatches(path, listMembers({ type }, ''));
    throw new UsageError(`--for ${text}: ${type.replaceAll('_', ' ')} has no ${path}`, {
      hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `vmctl explain ${type}`,
    });
  }
  const { form, of, list } = parseKind(valued.kind);
  const isPlain = (form === 'enum' || form === 'scalar') && !list;
  // Waiting for a misspelt state would never end.
  const value = isPlain ? parseValue(wanted, valued, `--for ${path}`) : wanted;
  // Services format dates in several ways.
  const expected = of === 'date' ? wanted : formatPlain(value);
  const isState = path === stateAttribute(type);
  const formatValue = (now: ApiObject) => formatPlain(getValue(now, path));
  return {
    text: `${path}${sign}${wanted}`,
    getState: (now) =>
      isState || now === undefined ? getState(type, now) : `${path}=${formatValue(now)}`,
    isMet: (now) => now !== undefined && (formatValue(now) === expected) === (sign === '='),
  };
}
