/** The pages of `vmctl explain` for people. */
import { aligned, wrapped } from '../../help/layout.ts';
import type { AttributeFacts, MoveFacts, StateFacts, TypeFacts } from './facts.ts';

/** A type: its attributes, states and what leads where. */
export function typePage(type: TypeFacts): string {
  return [
    wrapped(`${type.name}${type.doc === undefined ? '' : `: ${type.doc}`}`),
    type.base === undefined ? '' : `Extends ${type.base}.`,
    type.required ? wrapped(`Required to create one: ${type.required.join(', ')}.`) : '',
    attributesSection(type.attributes),
    ...(type.states ? stateSections(type.states) : []),
    `Details of an attribute: vmctl explain ${type.name}.ATTRIBUTE`,
  ]
    .filter((text) => text !== '')
    .map((text) => `${text.trimEnd()}\n`)
    .join('\n');
}

/** One attribute, with the attributes of what it holds. */
export function attributePage(path: string, attribute: AttributeFacts): string {
  const { kind, set, values, write_only, doc, attributes } = attribute;
  const rows: (readonly [string, string])[] = [
    ['kind', kind],
    ['set', set],
  ];
  if (values) rows.push(['values', values.join(', ')]);
  if (attribute.default !== undefined) rows.push(['default', textOf(attribute.default)]);
  if (write_only) rows.push(['shown', 'never']);
  return [
    wrapped(`${path}${doc === undefined ? '' : `: ${doc}`}`),
    aligned(rows),
    attributes ? attributesSection(attributes) : '',
  ]
    .filter((text) => text !== '')
    .map((text) => `${text.trimEnd()}\n`)
    .join('\n');
}

function attributesSection(attributes: readonly AttributeFacts[]): string {
  const rows = attributes.map(
    (attribute) =>
      [attribute.name, `(${attribute.kind}, ${attribute.mutability}) ${said(attribute)}`] as const,
  );
  return `Attributes (R: read-only, C: set on create, U: on update, A: in actions):\n${aligned(rows)}`;
}

function said(attribute: AttributeFacts): string {
  const { doc, values, write_only } = attribute;
  return [
    doc ?? '',
    values ? `${values.join(', ')}.` : '',
    attribute.default === undefined ? '' : `Default: ${textOf(attribute.default)}.`,
    write_only ? 'Write-only.' : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function textOf(value: NonNullable<AttributeFacts['default']>): string {
  if (value === '') return 'empty';
  return Array.isArray(value) ? value.join(', ') : String(value);
}

function stateSections({ attribute, initial, settled, failed, moves }: StateFacts): string[] {
  const rows: (readonly [string, string])[] = [
    ['initial', initial],
    ['settled', settled.join(', ')],
  ];
  if (failed.length > 0) rows.push(['failed', failed.join(', ')]);
  return [
    `States (${attribute}):\n${aligned(rows)}`,
    `State transitions:\n${aligned(moves.map((move) => [move.operation, courseOf(move)] as const))}`,
  ];
}

/** `down, suspended -> wait_for_launch -> up`. */
function courseOf({ operation, from, via, to, or, stays }: MoveFacts): string {
  const start = from.length > 0 ? from.join(', ') : operation === 'add' ? 'new' : '-';
  const end = stays ? 'as before' : [to ?? 'gone', ...(or ?? [])].join(' or ');
  return [start, ...via, end].join(' -> ');
}
