/** Output of `vmctl search-help`: language, fields with types, and parsed queries. */
import { UsageError } from '../../../client/errors.ts';
import { crossReferences, searchFields } from '../../../model/derive/search.ts';
import { relationsByKind, type SearchField } from '../../../model/notation/search.ts';
import type { Expression, SearchQuery, SearchValue, TextPattern } from '../../../search/ast.ts';
import { listOfferedValues } from '../../../search/index.ts';
import { findNoun } from '../../args/catalog.ts';
import { alignRows, wrapParagraph } from '../../help/layout.ts';
import { topicTexts } from '../../help/topic-texts.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { findCloseMatches } from '../../text/did-you-mean.ts';
import {
  findSearchType,
  listSearchableNouns,
  parseCheckedSearch,
} from '../../verbs/search-query.ts';

/** Prints the language and the searchable nouns. */
export async function explainLanguage(cli: CommandContext): Promise<void> {
  const nouns = listSearchableNouns();
  if (!isTable(getFormat(cli))) {
    const items = nouns.map((noun) => ({
      noun,
      fields: Object.keys(searchFields[findSearchType(noun) ?? ''] ?? {}),
    }));
    await printView(cli, { noun: 'searches', items, columns: ['noun', 'fields'] });
    return;
  }
  const list = wrapParagraph(`Searchable lists: ${nouns.join(', ')}.`);
  const more =
    'vmctl search-help NOUN lists the fields, vmctl search-help NOUN QUERY checks a query.';
  await write(cli.io.stdout, `${topicTexts['search'] ?? ''}\n${list}\n\n${more}\n`);
}

/** Prints the search fields of a noun. */
export async function explainFields(cli: CommandContext, word: string): Promise<void> {
  const { noun, type } = requireSearchableNoun(word);
  const fields = Object.entries(searchFields[type] ?? {}).filter(([, { hidden }]) => !hidden);
  const related = crossReferences[type] ?? [];
  if (!isTable(getFormat(cli))) {
    const items = [
      ...fields.map(([name, field]) => toItem(name, field, getSearchMeaning(name, field))),
      ...related.flatMap(({ names: [name = ''], fields: of }) =>
        Object.entries(searchFields[of] ?? {})
          .filter(([, { hidden }]) => !hidden)
          .map(([field, facts]) =>
            toItem(`${name}.${field}`, facts, getSearchMeaning(field, facts)),
          ),
      ),
    ];
    const columns = ['name', 'meaning', 'kind', 'relations', 'values'];
    await printView(cli, { noun: 'fields', items, columns });
    return;
  }
  const rows = fields.map(([name, field]) => [name, describeField(name, field)] as const);
  const others = related.map(({ names, fields: of }) => {
    const known = Object.keys(searchFields[of] ?? {}).filter(
      (one) => !searchFields[of]?.[one]?.hidden,
    );
    return [`${names.at(-1) ?? ''}.`, known.join(', ')] as const;
  });
  await write(
    cli.io.stdout,
    [
      `Fields of ${noun} for --search:\n\n${alignRows(rows)}`,
      ...(others.length > 0 ? [`Fields of related objects:\n\n${alignRows(others)}`] : []),
      `vmctl search-help ${noun} QUERY checks a query; vmctl search-help explains the language.\n`,
    ].join('\n'),
  );
}

/** Prints the parsed query. Throws `UsageError` if it is invalid. */
export async function explainSearch(
  cli: CommandContext,
  word: string,
  text: string,
): Promise<void> {
  const { noun, type } = requireSearchableNoun(word);
  const query = parseCheckedSearch(text, { noun, type, origin: 'search' });
  if (!query) throw new Error(`${noun} are not searchable.`);
  const order = query.order.find(({ name }) => name !== undefined);
  const item = {
    noun,
    search: text,
    conditions:
      query.where === undefined ? [] : formatExpression(query.where, 0).map((line) => line.trim()),
    ...(order ? { sort: `${order.name} ${order.descending ? 'descending' : 'ascending'}` } : {}),
    ...(query.page === undefined ? {} : { page: query.page }),
  };
  if (isTable(getFormat(cli))) await write(cli.io.stdout, formatQuery(noun, query, item.sort));
  else
    await printView(cli, {
      noun: 'searches',
      items: [item],
      single: true,
      columns: Object.keys(item),
    });
}

function formatQuery(noun: string, { where, page }: SearchQuery, sort: string | undefined): string {
  const head =
    where === undefined ? `All ${noun}\n` : `${noun} where\n${formatExpression(where, 1).join('')}`;
  const order = sort === undefined ? '' : `sorted by ${sort}\n`;
  return `${head}${order}${page === undefined ? '' : `page ${page}\n`}`;
}

function requireSearchableNoun(word: string): { readonly noun: string; readonly type: string } {
  const noun = findNoun(word)?.name ?? word;
  const type = findSearchType(noun);
  if (type !== undefined) return { noun, type };
  const known = listSearchableNouns();
  const near = findCloseMatches(word, known);
  const why = findNoun(word) ? 'not searchable' : 'unknown noun';
  throw new UsageError(`search-help ${word}: ${why}`, {
    code: findNoun(word) ? 'usage' : 'unknown_noun',
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

/** Returns the meaning of a field; undefined if it is the attribute of the same name. */
export function getSearchMeaning(name: string, field: SearchField): string | undefined {
  const { doc, source, path } = field;
  if (doc !== undefined || source !== undefined) return doc ?? source;
  return path === undefined || path === name ? undefined : `attribute ${path}`;
}

function describeField(name: string, field: SearchField): string {
  const { kind, unit } = field;
  const values = kind === 'bool' ? [] : listOfferedValues(field);
  const text = [kindDocs[kind], ...(unit === undefined ? [] : [`of ${unit}`]), values.join(', ')];
  const all = text.filter((one) => one !== '').join(' ');
  const meaning = getSearchMeaning(name, field);
  const prefix = meaning === undefined ? '' : `${meaning}; `;
  return `${prefix}${all} (${getRelations(field).join(' ')})`;
}

function getRelations({ kind, relations }: SearchField): readonly string[] {
  return relations ?? relationsByKind[kind];
}

function toItem(name: string, field: SearchField, meaning: string | undefined) {
  const values = listOfferedValues(field);
  return {
    name,
    ...(meaning === undefined ? {} : { meaning }),
    kind: field.kind,
    relations: getRelations(field),
    ...(values.length > 0 ? { values } : {}),
    ...(field.unit === undefined ? {} : { unit: field.unit }),
  };
}

/** Formats an expression: one line for each condition, indented by nesting. */
function formatExpression(expression: Expression, depth: number): readonly string[] {
  const indent = '  '.repeat(depth);
  switch (expression.op) {
    case 'all':
    case 'any':
      return [
        `${indent}${expression.op === 'all' ? 'all of' : 'any of'}\n`,
        ...expression.of.flatMap((one) => formatExpression(one, depth + 1)),
      ];
    case 'text': {
      const { through, negated, pattern } = expression;
      const where = through ? `any text of ${through.names.at(-1)}` : 'any text';
      return [`${indent}${where} ${negated ? 'does not have' : 'has'} ${formatPattern(pattern)}\n`];
    }
    case 'compare': {
      const { through, name, relation, value } = expression;
      const field = through ? `${through.names[0]}.${name}` : name;
      return [`${indent}${field} ${relation} ${formatValue(value)}\n`];
    }
  }
}

function formatPattern({ pieces }: TextPattern): string {
  return pieces.join('*');
}

function formatValue(value: SearchValue): string {
  switch (value.kind) {
    case 'absent':
      return 'nothing';
    case 'text':
    case 'tag':
      return formatPattern(value.pattern);
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
      return [value.name, ...(value.domain ? [value.domain] : [])].map(formatPattern).join('@');
  }
}
