/** `vmctl explain`: description of a type or attribute from the model, without a connection. */
import { UsageError } from '../../client/errors.ts';
import { types } from '../../model/derive/types.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { findNoun, nouns } from '../args/catalog.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument } from '../args/parameters.ts';
import { getFormat, isTable, printView } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { findCloseMatches } from '../text/did-you-mean.ts';
import { listCollections } from '../verbs/collections.ts';
import { describeAttribute, describeType } from './explain/facts.ts';
import { renderAttributePage, renderTypePage } from './explain/pages.ts';

async function runExplain(cli: CommandContext, words: string): Promise<void> {
  const [first = '', ...path] = words.split('.');
  const start = findType(first);
  const found = resolvePath(start, path);
  const format = getFormat(cli);
  if (isTable(format)) {
    await write(
      cli.io.stdout,
      'type' in found
        ? renderTypePage(describeType(found.type))
        : renderAttributePage(
            `${start}.${path.join('.')}`,
            describeAttribute(found.owner, found.name),
          ),
    );
    return;
  }
  if (format === 'json' || format === 'yaml' || format === 'jsonl') {
    const { createAttributeSchema, createTypeSchema } = await import('./explain/schema.ts');
    const schema =
      'type' in found
        ? createTypeSchema(found.type)
        : createAttributeSchema(found.owner, found.name);
    await printView(cli, { noun: 'types', items: [{ ...schema }], single: true, columns });
    return;
  }
  const item =
    'type' in found ? describeType(found.type) : describeAttribute(found.owner, found.name);
  if (!('attributes' in item)) {
    await printView(cli, { noun: 'types', items: [{ ...item }], single: true, columns });
    return;
  }
  const items = item.attributes.map((attribute) => ({ ...attribute }));
  await printView(cli, { noun: 'attributes', items, columns });
}

const columns = ['name', 'kind', 'mutability', 'values', 'default', 'doc'];

/** Finds a type by its name, or by the noun of its collection. */
function findType(word: string): string {
  const plain = word.toLowerCase().replaceAll('-', '_');
  if (isType(plain)) return plain;
  const noun = findNoun(word);
  const type = noun?.api ? listCollections(noun.name)[0]?.type : undefined;
  if (type !== undefined) return type;
  const known = [...Object.keys(types), ...nouns.filter(({ api }) => api).map(({ name }) => name)];
  const near = findCloseMatches(plain, known);
  throw new UsageError(`unknown type "${word}"`, {
    code: 'unknown_type',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : 'use a type of the API (vm, storage_domain) or a noun',
  });
}

type ExplainedItem = { readonly type: string } | { readonly owner: string; readonly name: string };

/** Returns the type or attribute at the end of a path. */
function resolvePath(start: string, path: readonly string[]): ExplainedItem {
  let owner = start;
  let found: ExplainedItem = { type: start };
  for (const [index, word] of path.entries()) {
    const name = word.replaceAll('-', '_');
    const attributes = listAttributes(owner);
    const attribute = attributes[name];
    if (!attribute) throw createUnknownAttributeError(owner, word, Object.keys(attributes));
    found = { owner, name };
    const { form, of } = parseKind(attribute.kind);
    if (form !== 'scalar' && form !== 'enum') owner = of;
    else if (index + 1 < path.length) {
      throw new UsageError(`${owner}.${name} is ${attribute.kind} and has no attributes`, {
        code: 'unknown_attribute',
        hint: `vmctl explain ${owner}.${name}`,
      });
    }
  }
  return found;
}

function createUnknownAttributeError(
  owner: string,
  word: string,
  known: readonly string[],
): UsageError {
  const near = findCloseMatches(word, known);
  return new UsageError(`${owner} has no attribute ${word}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `${owner}.${one}`).join(' or ')}?`
        : `vmctl explain ${owner}`,
  });
}

export default defineNoun({
  name: 'explain',
  doc: 'Describe a type or attribute',
  position: 140,
  section: 'Learn, test',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('<type[.attribute...]>', 'type or noun, and attributes: vm.cpu.topology'),
      ],
      examples: [
        'vmctl explain vm',
        'vmctl explain vm.cpu.topology',
        'vmctl explain storagedomains -o json',
      ],
      offline: true,
      onlyReads: true,
      prints: 'report',
      run: (cli, [words]) => runExplain(cli, words),
    }),
  ],
});
