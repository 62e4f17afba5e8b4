/** Values of flags on their way into the body of a request: none is lost. */
import { expect, it } from 'vitest';
import { nouns } from '../../../src/cli/args/catalog.ts';
import { parseValue, type ValueKind } from '../../../src/cli/args/values.ts';
import { listVerbs } from '../../../src/cli/verbs/derive-verbs.ts';
import {
  type BodySchema,
  deriveFields,
  findValueKind,
  getBodySchema,
  isReference,
  listMembers,
} from '../../../src/cli/verbs/fields.ts';
import { setAtPath } from '../../../src/cli/verbs/run.ts';
import { dialects } from '../../../src/model/dialect.ts';
import { enums } from '../../../src/model/enums.ts';
import { parseKind } from '../../../src/model/index.ts';
import { encodeAction, encodeObject, type MediaType } from '../../../src/wire/index.ts';

const media: readonly MediaType[] = ['application/json', 'application/xml'];

/** A text that a user may type for a value, and how it appears in the request. */
function sample({ kind }: ValueKind): { text: string; sent: RegExp } | undefined {
  const { form, of } = parseKind(kind);
  if (isReference(kind) || of === 'gluster_brick') return undefined;
  if (form === 'enum') {
    const word = enums[of as keyof typeof enums].at(-1) ?? '';
    return { text: word, sent: new RegExp(`\\b${word}\\b`) };
  }
  if (form !== 'scalar') return undefined;
  const known: Readonly<Record<string, { text: string; sent: RegExp }>> = {
    bool: { text: 'true', sent: /true/ },
    int: { text: '37', sent: /\b37\b/ },
    long: { text: '4294967296', sent: /\b4294967296\b/ },
    decimal: { text: '1.5', sent: /1\.5/ },
    date: { text: '2030-01-31T12:00:00.000Z', sent: /2030-01-31T12:00:00/ },
    version: { text: '4.7', sent: /4[\s\S]*7/ },
  };
  return known[of] ?? { text: 'sample', sent: /sample/ };
}

function bodies(shape: BodySchema, path: string, value: unknown): readonly string[] {
  const body: Record<string, unknown> = {};
  setAtPath(body, path, value);
  return media.map((one) =>
    'type' in shape
      ? encodeObject(one, body, shape.type, dialects.standard)
      : encodeAction(one, body, dialects.standard),
  );
}

/** All paths below a shape that `--set` accepts and that end in one value. */
function* leaves(shape: BodySchema, prefix = '', depth = 0): Generator<string> {
  for (const word of new Set(listMembers(shape, prefix))) {
    const path = prefix === '' ? word : `${prefix}.${word}`;
    const valued = findValueKind(shape, path);
    if (!valued) continue;
    const { form, list } = parseKind(valued.kind);
    if (form === 'struct' && !list && depth < 2) yield* leaves(shape, path, depth + 1);
    else yield path;
  }
}

const operations = nouns
  .filter(({ api }) => api)
  .flatMap(({ name }) => listVerbs(name))
  .flatMap((verb) =>
    verb.candidates
      .filter(({ operation }) => operation.http !== 'GET')
      .map(({ operation }) => ({ verb, operation })),
  );

it('sends the value of every flag, in JSON and XML', () => {
  let count = 0;
  for (const { verb, operation } of operations) {
    const shape = getBodySchema(operation);
    for (const [flag, field] of deriveFields(verb, operation)) {
      const value = sample(field);
      if (!value) continue;
      count += 1;
      for (const body of bodies(shape, field.path, parseValue(value.text, field, `--${flag}`))) {
        expect(body, `${verb.noun} ${verb.name} --${flag}`).toMatch(value.sent);
      }
    }
  }
  expect(count).toBeGreaterThan(1_000);
});

it('sends the value of every attribute that --set accepts, in JSON and XML', () => {
  const shapes = new Map(
    operations.map(({ operation }) => {
      const shape = getBodySchema(operation);
      return [JSON.stringify(shape), shape] as const;
    }),
  );
  let count = 0;
  for (const shape of shapes.values()) {
    for (const path of leaves(shape)) {
      const valued = findValueKind(shape, path);
      const value = valued && sample(valued);
      if (!valued || !value) continue;
      count += 1;
      for (const body of bodies(shape, path, parseValue(value.text, valued, '--set'))) {
        expect(body, `${JSON.stringify(shape)} --set ${path}`).toMatch(value.sent);
      }
    }
  }
  expect(count).toBeGreaterThan(3_000);
});
