/** Definitions cover the model. */
import { describe, expect, it } from 'vitest';
import { leftOut, undecided, written } from '../../src/model/derive/definitions.ts';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { attributesOf } from '../../src/model/index.ts';

describe('definitions', () => {
  it('contain every creatable object, or omit it for a reason', () => {
    expect(undecided).toEqual([]);
  });

  it('name only existing collections', () => {
    const paths = [...Object.keys(written), ...Object.keys(leftOut)];
    const unknown = paths.filter((path) => !services[path] && !types[path]);
    expect(unknown).toEqual([]);
    expect(Object.keys(written).filter((path) => leftOut[path] !== undefined)).toEqual([]);
  });

  it('omit only existing attributes', () => {
    const unknown = Object.entries(types).flatMap(([name, { unwritten = [] }]) =>
      unwritten
        .filter((one) => attributesOf(name)[one] === undefined)
        .map((one) => `${name}.${one}`),
    );
    expect(unknown).toEqual([]);
  });

  it('have a placeholder for every password', () => {
    const plain = Object.entries(types).flatMap(([name, { attributes, unwritten = [] }]) =>
      Object.entries(attributes)
        .filter(([one, { secret, mut }]) => /password/.test(one) && !secret && mut !== 'R')
        .filter(([one]) => !unwritten.includes(one))
        .map(([one]) => `${name}.${one}`),
    );
    expect(plain).toEqual([]);
  });
});
