/** JMESPath expressions of `--query`, applied to the JSON result. Loads its library. */

import { JMESPathError, LexerError, ParseError, search } from '@aws-lambda-powertools/jmespath';
import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { isRecord } from '../../records.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import type { Format } from '../session/settings.ts';
import { formatJson } from '../text/json.ts';
import { formatPlain } from './cells.ts';
import { createLineFormatter } from './delimited.ts';
import { renderView } from './render.ts';
import type { ViewMetadata } from './view.ts';

type Json = Parameters<typeof search>[1];

/**
 * Checks the syntax of an expression before the first request. Errors that depend on data occur
 * later.
 */
export function checkQuery(expression: string): void {
  try {
    search(expression, null);
  } catch (error) {
    if (isSyntax(error) || isTooDeep(error)) throw createQueryError(error, expression);
    if (!(error instanceof JMESPathError)) throw error;
  }
}

/** The parser is recursive, so a deeply nested expression exhausts the stack. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError;
}

function isSyntax(error: unknown): boolean {
  if (error instanceof ParseError || error instanceof LexerError) return true;
  return (
    error instanceof Error && /^(EmptyExpression|UnknownFunction|.*Arity)Error$/.test(error.name)
  );
}

/** Creates the usage error, with a caret below the position if it is known. */
function createQueryError(error: unknown, expression: string): UsageError {
  const message = isTooDeep(error) ? 'the expression is nested too deeply' : getErrorMessage(error);
  const at =
    error instanceof ParseError
      ? error.lexPosition
      : error instanceof LexerError
        ? error.lexerPosition
        : undefined;
  const why = message
    .replace(/^(Bad|Invalid) jmespath expression: /i, '')
    .replace(/(parse error )?at column \d+,? ?/, '')
    .replace(/ in expression: .*$/s, '')
    .trim();
  const place =
    at === undefined ? '' : `\n  ${expression}\n  ${' '.repeat(Math.min(at, expression.length))}^`;
  return new UsageError(`--query: ${why}${place}`, {
    code: 'bad_query',
    hint: "use JMESPath: [].name, [?status=='up'].{name: name, cpus: cpu.topology.cores}",
    cause: error,
  });
}

/** Prints the result of an expression. Without JSON, texts and numbers are unquoted. */
export async function printQueryResult(
  cli: CommandContext,
  format: Format,
  frame: ViewMetadata,
  value: unknown,
  expression: string,
  headers: boolean,
): Promise<void> {
  let result: unknown;
  try {
    // Right because the values come from decoded JSON or XML.
    result = search(expression, value as Json) ?? null;
  } catch (error) {
    if (error instanceof JMESPathError || isTooDeep(error))
      throw createQueryError(error, expression);
    throw error;
  }
  for await (const piece of renderResult(cli, format, frame, result, headers)) {
    await write(cli.io.stdout, piece);
  }
}

async function* renderResult(
  cli: CommandContext,
  format: Format,
  frame: ViewMetadata,
  result: unknown,
  headers: boolean,
): AsyncGenerator<string> {
  const list: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (format === 'json') {
    yield `${formatJson(result, 2)}\n`;
  } else if (format === 'jsonl') {
    for (const one of list) yield `${formatJson(one)}\n`;
  } else if (format === 'yaml') {
    yield await (await import('./yaml.ts')).formatYaml(result);
  } else if (list.length > 0 && list.every(isRecord)) {
    // The expression built these objects: they have no type, and their members are the columns.
    const columns = [...new Set(list.flatMap((one) => Object.keys(one)))];
    const builtFrame = { noun: frame.noun, columns, single: !Array.isArray(result) };
    yield* renderView(
      cli,
      format,
      isTabular(format) ? builtFrame : { ...builtFrame, ...frame },
      [list],
      headers,
    );
  } else {
    const line = createLineFormatter(cli, format === 'csv' ? 'csv' : 'tsv');
    for (const one of list) {
      const cells: readonly unknown[] = Array.isArray(one) ? one : [one];
      yield `${line(cells.map(formatCell))}\n`;
    }
  }
}

function isTabular(format: Format): boolean {
  return ['table', 'wide', 'csv', 'tsv'].includes(format);
}

function formatCell(value: unknown): string {
  return typeof value === 'object' && value !== null ? formatJson(value) : formatPlain(value);
}
