/** `vmctl explain`: what the model knows of a type or an attribute. Never connects. */
import { UsageError } from '../../client/errors.ts';
import { types } from '../../model/derive/types.ts';
import { isType, listAttributes, parseKind } from '../../model/index.ts';
import { nounOf, nouns } from '../args/catalog.ts';
import { command, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import { formatOf, isTable, print } from '../output/print.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { closeMatches } from '../text/did-you-mean.ts';
import { collectionsOf } from '../verbs/collections.ts';
import { attributeFacts, typeFacts } from './explain/facts.ts';
import { attributePage, typePage } from './explain/pages.ts';

async function explain(cli: CommandContext, words: string): Promise<void> {
  const [first = '', ...path] = words.split('.');
  const start = typeNamed(first);
  const found = follow(start, path);
  const format = formatOf(cli);
  if (isTable(format)) {
    await write(
      cli.io.stdout,
      'type' in found
        ? typePage(typeFacts(found.type))
        : attributePage(`${start}.${path.join('.')}`, attributeFacts(found.owner, found.name)),
    );
    return;
  }
  if (format === 'json' || format === 'yaml' || format === 'jsonl') {
    const { attributeSchema, typeSchema } = await import('./explain/schema.ts');
    const schema =
      'type' in found ? typeSchema(found.type) : attributeSchema(found.owner, found.name);
    await print(cli, { noun: 'types', items: [{ ...schema }], single: true, columns });
    return;
  }
  const item = 'type' in found ? typeFacts(found.type) : attributeFacts(found.owner, found.name);
  if (!('attributes' in item)) {
    await print(cli, { noun: 'types', items: [{ ...item }], single: true, columns });
    return;
  }
  const items = item.attributes.map((attribute) => ({ ...attribute }));
  await print(cli, { noun: 'attributes', items, columns });
}

const columns = ['name', 'kind', 'mutability', 'values', 'default', 'doc'];

/** A type by its name, or by the noun of its collection. */
function typeNamed(word: string): string {
  const plain = word.toLowerCase().replaceAll('-', '_');
  if (isType(plain)) return plain;
  const noun = nounOf(word);
  const type = noun?.api ? collectionsOf(noun.name)[0]?.type : undefined;
  if (type !== undefined) return type;
  const known = [...Object.keys(types), ...nouns.filter(({ api }) => api).map(({ name }) => name)];
  const near = closeMatches(plain, known);
  throw new UsageError(`unknown type "${word}"`, {
    code: 'unknown_type',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : 'use a type of the API (vm, storage_domain) or a noun',
  });
}

type Found = { readonly type: string } | { readonly owner: string; readonly name: string };

/** The attribute at the end of the path. */
function follow(start: string, path: readonly string[]): Found {
  let owner = start;
  let found: Found = { type: start };
  for (const [index, word] of path.entries()) {
    const name = word.replaceAll('-', '_');
    const attributes = listAttributes(owner);
    const attribute = attributes[name];
    if (!attribute) throw unknownAttribute(owner, word, Object.keys(attributes));
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

function unknownAttribute(owner: string, word: string, known: readonly string[]): UsageError {
  const near = closeMatches(word, known);
  return new UsageError(`${owner} has no attribute ${word}`, {
    code: 'unknown_attribute',
    hint:
      near.length > 0
        ? `did you mean ${near.map((one) => `${owner}.${one}`).join(' or ')}?`
        : `vmctl explain ${owner}`,
  });
}

export default noun({
  name: 'explain',
  doc: 'Describe a type or attribute',
  position: 140,
  section: 'Learn, test',
  commands: [
    command({
      arguments: [
        argument('<type[.attribute...]>', 'type or noun, and attributes: vm.cpu.topology'),
      ],
      examples: [
        'vmctl explain vm',
        'vmctl explain vm.cpu.topology',
        'vmctl explain storagedomains -o json',
      ],
      offline: true,
      onlyReads: true,
      prints: 'report',
      run: (cli, [words]) => explain(cli, words),
    }),
  ],
});
