/** Definitions cover the model. */
import { describe, expect, it } from 'vitest';
import {
  omittedCollections,
  undecidedCollections,
  writtenCollections,
} from '../../src/model/derive/definitions.ts';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { listAttributes } from '../../src/model/index.ts';

describe('definitions', () => {
  it('contain every creatable object, or omit it for a reason', () => {
    expect(undecidedCollections).toEqual([]);
  });

  it('name only existing collections', () => {
    const paths = [...Object.keys(writtenCollections), ...Object.keys(omittedCollections)];
    const unknown = paths.filter((path) => !services[path] && !types[path]);
    expect(unknown).toEqual([]);
    expect(
      Object.keys(writtenCollections).filter((path) => omittedCollections[path] !== undefined),
    ).toEqual([]);
  });

  it('omit only existing attributes', () => {
    const unknown = Object.entries(types).flatMap(([name, { unwritten = [] }]) =>
      unwritten
        .filter((one) => listAttributes(name)[one] === undefined)
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
