/** Order of members in XML and JSON, as in every recorded object of a real engine. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { services } from '../../src/model/derive/services.ts';
import { types } from '../../src/model/derive/types.ts';
import { getTag } from '../../src/model/index.ts';
import { actionShape, getShape, type Member, type Shape } from '../../src/wire/shape.ts';
import { readXmlTree, type XmlNode } from '../../src/wire/xml-tree.ts';

interface Step {
  readonly name?: string;
  readonly path?: string;
  readonly status?: number;
  readonly body?: string;
  readonly headers?: { readonly 'content-type'?: string };
}

const recording = new URL('../truth/engine.jsonl.gz', import.meta.url);
const steps = gunzipSync(readFileSync(recording))
  .toString('utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Step);

const collections = new Set(Object.values(services).map(({ type }) => type as string));
const shapes = new Map<string, Shape>(
  Object.keys(types)
    .filter((type) => collections.has(type) || type === 'fault')
    .map((type) => [getTag(type), getShape(type)]),
);
shapes.set('action', actionShape());

/** Members of host providers, which the model does not derive from the base of providers. */
const exempt = new Set(['ExternalHostProvider']);

const wrong = new Set<string>();
let compared = 0;

function compare(names: readonly string[], members: readonly Member[], type: string): void {
  const places = names
    .map((name) => members.findIndex(({ wire }) => wire === name))
    .filter((place) => place >= 0);
  compared += 1;
  const turned = places.findIndex((place, index) => place < (places[index - 1] ?? 0));
  if (turned < 0 || exempt.has(type)) return;
  wrong.add(
    `${type}: ${members[places[turned] ?? 0]?.wire} after ${members[places[turned - 1] ?? 0]?.wire}`,
  );
}

function below(shape: Shape, wire: string): Shape | undefined {
  const content = shape.members.find((one) => one.wire === wire)?.content;
  const single = content?.form === 'list' ? content.of : content;
  return single?.form === 'object' ? single.shape() : undefined;
}

function walkXml({ name, children }: XmlNode, shape: Shape | undefined): void {
  if (shape)
    compare(
      children.map((child) => child.name),
      shape.members,
      shape.display,
    );
  for (const child of children) {
    const item = shape && below(shape, child.name);
    const isWrapper = shape?.members.some(
      ({ wire, content }) => wire === child.name && content.form === 'list' && content.wrapped,
    );
    if (isWrapper) for (const one of child.children) walkXml(one, item);
    else if (item) walkXml(child, item);
    else if (!shape && name !== 'action') walkXml(child, shapes.get(child.name));
  }
}

function walkJson(value: unknown, shape: Shape): void {
  if (Array.isArray(value)) for (const one of value) walkJson(one, shape);
  else if (typeof value === 'object' && value !== null) {
    compare(Object.keys(value), shape.jsonMembers ?? shape.members, shape.display);
    for (const [key, one] of Object.entries(value)) {
      const member = shape.members.find(({ wire }) => wire === key);
      const inner = below(shape, key);
      if (!inner || (member?.content.form === 'list' && !member.content.wrapped)) continue;
      const isWrapper = member?.content.form === 'list';
      for (const each of isWrapper ? Object.values(one as object) : [one]) walkJson(each, inner);
    }
  }
}

/** Ignore the few engine documents that are not well-formed XML. */
function xmlTree(body: string): XmlNode | undefined {
  try {
    return readXmlTree(body);
  } catch {
    return undefined;
  }
}

test('has the order of the engine for every member', () => {
  for (const { body, headers } of steps) {
    const type = String(headers?.['content-type'] ?? '');
    if (!body) continue;
    if (type.includes('application/xml')) {
      const root = xmlTree(body);
      if (root) walkXml(root, shapes.get(root.name));
    } else if (type.includes('application/json')) {
      for (const [key, value] of Object.entries(JSON.parse(body) as object)) {
        const shape = shapes.get(key);
        if (shape && Array.isArray(value)) walkJson(value, shape);
      }
    }
  }
  expect([...wrong]).toEqual([]);
  expect(compared).toBeGreaterThan(20_000);
});
