/** What `vmctl search-help` prints: the language, fields with their types, a search as it is understood. */
import { UsageError } from '../../../client/errors.ts';
import { crossReferences, searchFields } from '../../../model/derive/search.ts';
import { relationsByKind, type SearchField } from '../../../model/notation/search.ts';
import type { Expression, SearchQuery, SearchValue, TextPattern } from '../../../search/ast.ts';
import { listOfferedValues } from '../../../search/index.ts';
import { nounOf } from '../../args/catalog.ts';
import { aligned, wrapped } from '../../help/layout.ts';
import { topicTexts } from '../../help/topic-texts.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { closeMatches } from '../../text/did-you-mean.ts';
import { checkedSearch, searchableNouns, searchedOf } from '../../verbs/search-query.ts';

/** Prints what the language is, and where it can be used. */
export async function explainLanguage(cli: CommandContext): Promise<void> {
  const nouns = searchableNouns();
  if (!isTable(formatOf(cli))) {
    const items = nouns.map((noun) => ({
      noun,
      fields: Object.keys(searchFields[searchedOf(noun) ?? ''] ?? {}),
    }));
    await print(cli, { noun: 'searches', items, columns: ['noun', 'fields'] });
    return;
  }
  const list = wrapped(`Searchable lists: ${nouns.join(', ')}.`);
  const more =
    'vmctl search-help NOUN lists the fields, vmctl search-help NOUN QUERY checks a query.';
  await write(cli.io.stdout, `${topicTexts['search'] ?? ''}\n${list}\n\n${more}\n`);
}

/** Prints the fields by which objects of a noun are found. */
export async function explainFields(cli: CommandContext, word: string): Promise<void> {
  const { noun, type } = searchedNoun(word);
  const fields = Object.entries(searchFields[type] ?? {}).filter(([, { hidden }]) => !hidden);
  const related = crossReferences[type] ?? [];
  if (!isTable(formatOf(cli))) {
    const items = [
      ...fields.map(([name, field]) => factsOf(name, field)),
      ...related.flatMap(({ names: [name = ''], fields: of }) =>
        Object.entries(searchFields[of] ?? {})
          .filter(([, { hidden }]) => !hidden)
          .map(([field, facts]) => factsOf(`${name}.${field}`, facts)),
      ),
    ];
    const columns = ['name', 'kind', 'relations', 'values'];
    await print(cli, { noun: 'fields', items, columns });
    return;
  }
  const rows = fields.map(([name, field]) => [name, docOf(field)] as const);
  const others = related.map(({ names, fields: of }) => {
    const known = Object.keys(searchFields[of] ?? {}).filter(
      (one) => !searchFields[of]?.[one]?.hidden,
    );
    return [`${names.at(-1) ?? ''}.`, known.join(', ')] as const;
  });
  await write(
    cli.io.stdout,
    [
      `Fields of ${noun} for --search:\n\n${aligned(rows)}`,
      ...(others.length > 0 ? [`Fields of related objects:\n\n${aligned(others)}`] : []),
      `vmctl search-help ${noun} QUERY checks a query; vmctl search-help explains the language.\n`,
    ].join('\n'),
  );
}

/** Prints how a search is understood. Throws where it is not. */
export async function explainSearch(
  cli: CommandContext,
  word: string,
  text: string,
): Promise<void> {
  const { noun, type } = searchedNoun(word);
  const query = checkedSearch(text, { noun, type, origin: 'search' });
  if (!query) throw new Error(`${noun} are not searchable.`);
  const order = query.order.find(({ name }) => name !== undefined);
  const item = {
    noun,
    search: text,
    conditions: query.where === undefined ? [] : linesOf(query.where, 0).map((line) => line.trim()),
    ...(order ? { sort: `${order.name} ${order.descending ? 'descending' : 'ascending'}` } : {}),
    ...(query.page === undefined ? {} : { page: query.page }),
  };
  if (isTable(formatOf(cli))) await write(cli.io.stdout, pageOf(noun, query, item.sort));
  else
    await print(cli, { noun: 'searches', items: [item], single: true, columns: Object.keys(item) });
}

function pageOf(noun: string, { where, page }: SearchQuery, sort: string | undefined): string {
  const head =
    where === undefined ? `All ${noun}\n` : `${noun} where\n${linesOf(where, 1).join('')}`;
  const order = sort === undefined ? '' : `sorted by ${sort}\n`;
  return `${head}${order}${page === undefined ? '' : `page ${page}\n`}`;
}

function searchedNoun(word: string): { readonly noun: string; readonly type: string } {
  const noun = nounOf(word)?.name ?? word;
  const type = searchedOf(noun);
  if (type !== undefined) return { noun, type };
  const known = searchableNouns();
  const near = closeMatches(word, known);
  const why = nounOf(word) ? 'not searchable' : 'unknown noun';
  throw new UsageError(`search-help ${word}: ${why}`, {
    code: nounOf(word) ? 'usage' : 'unknown_noun',
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : `use one of ${known.join(', ')}`,
  });
}

const kindDocs: Readonly<Record<SearchField['kind'], string>> = {
  text: 'text; * matches any text',
  enum: 'one of',
  bool: 'true or false',
  number: 'a number',
  date: 'a date: 2024-05-31,',
  span: 'a duration: days, days.hours:minutes, hours:minutes',
  severity: 'ordered:',
  tag: 'name of a tag, or of its parent',
  user: 'user name, with or without @domain',
};

function docOf(field: SearchField): string {
  const { kind, unit } = field;
  const values = kind === 'bool' ? [] : listOfferedValues(field);
  const text = [kindDocs[kind], ...(unit === undefined ? [] : [`of ${unit}`]), values.join(', ')];
  const all = text.filter((one) => one !== '').join(' ');
  return `${all} (${relationsOf(field).join(' ')})`;
}

function relationsOf({ kind, relations }: SearchField): readonly string[] {
  return relations ?? relationsByKind[kind];
}

function factsOf(name: string, field: SearchField) {
  const values = listOfferedValues(field);
  return {
    name,
    kind: field.kind,
    relations: relationsOf(field),
    ...(values.length > 0 ? { values } : {}),
    ...(field.unit === undefined ? {} : { unit: field.unit }),
  };
}

/** An expression, a line for each condition, deeper where they belong together. */
function linesOf(expression: Expression, depth: number): readonly string[] {
  const indent = '  '.repeat(depth);
  switch (expression.op) {
    case 'all':
    case 'any':
      return [
        `${indent}${expression.op === 'all' ? 'all of' : 'any of'}\n`,
        ...expression.of.flatMap((one) => linesOf(one, depth + 1)),
      ];
    case 'text': {
      const { through, negated, pattern } = expression;
      const where = through ? `any text of ${through.names.at(-1)}` : 'any text';
      return [`${indent}${where} ${negated ? 'does not have' : 'has'} ${patternText(pattern)}\n`];
    }
    case 'compare': {
      const { through, name, relation, value } = expression;
      const field = through ? `${through.names[0]}.${name}` : name;
      return [`${indent}${field} ${relation} ${valueText(value)}\n`];
    }
  }
}

function patternText({ pieces }: TextPattern): string {
  return pieces.join('*');
}

function valueText(value: SearchValue): string {
  switch (value.kind) {
    case 'absent':
      return 'nothing';
    case 'text':
    case 'tag':
      return patternText(value.pattern);
    case 'word':
      return value.word;
    case 'bool':
    case 'number':
      return String(value.value);
    case 'size':
      return `${value.from} bytes`;
    case 'date':
      return value.from;
    case 'span':
      return `${value.seconds} seconds`;
    case 'severity':
      return value.words.join(' or ');
    case 'user':
      return [value.name, ...(value.domain ? [value.domain] : [])].map(patternText).join('@');
  }
}
