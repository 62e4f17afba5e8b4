/** Text pages of `vmctl explain`. */
import { alignRows, wrapParagraph } from '../../help/layout.ts';
import type { AttributeFacts, MoveFacts, StateFacts, TypeFacts } from './facts.ts';

/** Renders the page of a type: attributes, states and transitions. */
export function renderTypePage(type: TypeFacts): string {
  return [
    wrapParagraph(`${type.name}${type.doc === undefined ? '' : `: ${type.doc}`}`),
    type.base === undefined ? '' : `Extends ${type.base}.`,
    type.required ? wrapParagraph(`Required to create one: ${type.required.join(', ')}.`) : '',
    formatAttributes(type.attributes),
    ...(type.states ? formatStates(type.states) : []),
    `Details of an attribute: vmctl explain ${type.name}.ATTRIBUTE`,
  ]
    .filter((text) => text !== '')
    .map((text) => `${text.trimEnd()}\n`)
    .join('\n');
}

/** Renders the page of an attribute, with the attributes of its type. */
export function renderAttributePage(path: string, attribute: AttributeFacts): string {
  const { kind, set, values, write_only, doc, attributes } = attribute;
  const rows: (readonly [string, string])[] = [
    ['kind', kind],
    ['set', set],
  ];
  if (values) rows.push(['values', values.join(', ')]);
  if (attribute.default !== undefined) rows.push(['default', formatDefault(attribute.default)]);
  if (write_only) rows.push(['shown', 'never']);
  return [
    wrapParagraph(`${path}${doc === undefined ? '' : `: ${doc}`}`),
    alignRows(rows),
    attributes ? formatAttributes(attributes) : '',
  ]
    .filter((text) => text !== '')
    .map((text) => `${text.trimEnd()}\n`)
    .join('\n');
}

function formatAttributes(attributes: readonly AttributeFacts[]): string {
  const rows = attributes.map(
    (attribute) =>
      [
        attribute.name,
        `(${attribute.kind}, ${attribute.mutability}) ${formatDescription(attribute)}`,
      ] as const,
  );
  return `Attributes (R: read-only, C: set on create, U: on update, A: in actions):\n${alignRows(rows)}`;
}

function formatDescription(attribute: AttributeFacts): string {
  const { doc, values, write_only } = attribute;
  return [
    doc ?? '',
    values ? `${values.join(', ')}.` : '',
    attribute.default === undefined ? '' : `Default: ${formatDefault(attribute.default)}.`,
    write_only ? 'Write-only.' : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function formatDefault(value: NonNullable<AttributeFacts['default']>): string {
  if (value === '') return 'empty';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function formatStates({ attribute, initial, settled, failed, moves }: StateFacts): string[] {
  const rows: (readonly [string, string])[] = [
    ['initial', initial],
    ['settled', settled.join(', ')],
  ];
  if (failed.length > 0) rows.push(['failed', failed.join(', ')]);
  return [
    `States (${attribute}):\n${alignRows(rows)}`,
    `State transitions:\n${alignRows(moves.map((move) => [move.operation, formatTransition(move)] as const))}`,
  ];
}

/** Formats a transition: `down, suspended -> wait_for_launch -> up`. */
function formatTransition({ operation, from, via, to, or, stays }: MoveFacts): string {
  const start = from.length > 0 ? from.join(', ') : operation === 'add' ? 'new' : '-';
  const end = stays ? 'as before' : [to ?? 'gone', ...(or ?? [])].join(' or ');
  return [start, ...via, end].join(' -> ');
}
