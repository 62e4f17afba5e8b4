/** TypeScript type assertions, found by a parser that ignores texts and comments. */
import { parseAst } from 'rolldown/parseAst';

export interface TypeAssertion {
  readonly line: number;
  readonly text: string;
  /** Whether a comment explains it: on the line above, or at the end of its line. */
  readonly isExplained: boolean;
}

/** Every `x as T`, `<T>x` and `x!` of a source; `as const` and `satisfies` assert nothing. */
export function typeAssertionsIn(source: string): TypeAssertion[] {
  const lines = source.split('\n');
  const lineAt = (position: number) => source.slice(0, position).split('\n').length;
  const found: TypeAssertion[] = [];
  for (const { start, end } of assertionsBelow(parseAst(source, { lang: 'ts' }))) {
    const line = lineAt(start);
    const above = lines[line - 2]?.trim() ?? '';
    const after = lines[lineAt(end) - 1]?.slice(end - source.lastIndexOf('\n', end - 1) - 1) ?? '';
    found.push({
      line,
      text: source.slice(start, end),
      isExplained: above.startsWith('//') || /^[^'"`]*\/\/ \S/.test(after),
    });
  }
  return found;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

function* assertionsBelow(node: unknown): Generator<Range> {
  if (Array.isArray(node)) {
    for (const one of node) yield* assertionsBelow(one);
    return;
  }
  if (!isNode(node)) return;
  if (asserts(node)) yield { start: Number(node['start']), end: Number(node['end']) };
  for (const member of Object.values(node)) yield* assertionsBelow(member);
}

type Node = Readonly<Record<string, unknown>>;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function asserts(node: Node): boolean {
  switch (node['type']) {
    case 'TSAsExpression':
      return !isConst(node['typeAnnotation']);
    case 'TSTypeAssertion':
    case 'TSNonNullExpression':
      return true;
    default:
      // `let x!: T` asserts that it has a value.
      return node['definite'] === true;
  }
}

function isConst(type: unknown): boolean {
  const name = isNode(type) && type['type'] === 'TSTypeReference' ? type['typeName'] : undefined;
  return isNode(name) && name['name'] === 'const';
}
