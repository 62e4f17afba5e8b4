/** Text lengths: the limits of every attribute in the model are enforced. */
import { describe, expect, it } from 'vitest';
import { types } from '../../../src/model/derive/types.ts';
import type { Attribute } from '../../../src/model/notation/attributes.ts';
import type { TypeName } from '../../../src/model/resources/index.ts';
import { normalizedJson } from '../../../src/server/core/json-text.ts';
import { checkLengths } from '../../../src/server/core/lengths.ts';

type Types = Readonly<Record<string, { readonly attributes: Readonly<Record<string, Attribute>> }>>;
const all: Types = types;

const bounded = Object.entries(all).flatMap(([type, { attributes }]) =>
  Object.entries(attributes).flatMap(([name, { length }]) =>
    length ? [{ type: type as TypeName, name, min: length[0], max: length[1] }] : [],
  ),
);

describe('lengths of texts', () => {
  it('are declared for descriptions', () => {
    expect(bounded.map(({ type, name }) => `${type}.${name}`)).toContain('cluster.description');
    expect(bounded.length).toBeGreaterThan(10);
  });

  it.each(bounded)('apply to $type.$name', ({ type, name, min, max }) => {
    const check = (length: number) => () =>
      checkLengths(type, { [name]: 'x'.repeat(length) }, 'add');
    expect(check(max)).not.toThrow();
    expect(check(max + 1)).toThrow(`${name} has ${max + 1} characters`);
    if (min > 0) expect(check(min - 1)).toThrow(`it must have from ${min} to ${max}`);
  });

  it('count characters, not UTF-16 code units', () => {
    expect(() => checkLengths('bookmark', { value: '😀'.repeat(300) }, 'add')).not.toThrow();
  });
});

describe('normalized JSON', () => {
  it('has members in the order of length and name, and a space after commas and colons', () => {
    expect(normalizedJson('{"bb":1,"a":[1,{"c":null}]}')).toBe('{"a": [1, {"c": null}], "bb": 1}');
    expect(normalizedJson('"text"')).toBe('"text"');
    expect(normalizedJson('not json')).toBeUndefined();
  });
});
