/** JSON for programs: as the API names things, large integers exact, nothing a terminal obeys. */
import { harmless } from './harmless.ts';

const mark = '\u0001bigint:';
const marked = /"\\u0001bigint:(-?\d+)"/g;

/** One value as JSON; `space` as JSON.stringify takes it. */
export function jsonText(value: unknown, space?: number): string {
  let exact = false;
  const text =
    JSON.stringify(
      value,
      (_, member: unknown) => {
        if (typeof member !== 'bigint') return member;
        exact = true;
        return `${mark}${member}`;
      },
      space,
    ) ?? 'null';
  return harmless.json(exact ? text.replace(marked, '$1') : text);
}

/** A list as JSON, one piece per item, so that a long list is never one string. */
export function* jsonArray(items: readonly unknown[]): Generator<string> {
  if (items.length === 0) {
    yield '[]\n';
    return;
  }
  for (const [index, item] of items.entries()) {
    const indented = jsonText(item, 2).replaceAll('\n', '\n  ');
    yield `${index === 0 ? '[\n  ' : ',\n  '}${indented}`;
  }
  yield '\n]\n';
}
