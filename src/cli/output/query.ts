/** `--query`: a JMESPath expression over what json prints. Loads its library. */
import { JMESPathError, LexerError, ParseError, search } from '@aws-lambda-powertools/jmespath';
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import type { Format } from '../session/settings.ts';
import { jsonText } from '../text/json.ts';
import { plainText } from './cells.ts';
import { delimitedLine } from './delimited.ts';
import { render } from './render.ts';
import type { Frame, Item } from './view.ts';

type Json = Parameters<typeof search>[1];

/** Refuses what is no expression, before anything is asked. What depends on the data is not seen. */
export function checkQuery(expression: string): void {
  try {
    search(expression, null);
  } catch (error) {
    if (isSyntax(error) || isTooDeep(error)) throw asUsageError(error, expression);
    if (!(error instanceof JMESPathError)) throw error;
  }
}

/** The parser is recursive: an expression that is nested too deeply exhausts its stack. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError;
}

function isSyntax(error: unknown): boolean {
  if (error instanceof ParseError || error instanceof LexerError) return true;
  return (
    error instanceof Error && /^(EmptyExpression|UnknownFunction|.*Arity)Error$/.test(error.name)
  );
}

/** The message with a caret below the place, where there is one. */
function asUsageError(error: unknown, expression: string): UsageError {
  const message = isTooDeep(error)
    ? 'the expression is nested too deeply'
    : (error as Error).message;
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

/** Prints what the expression makes of a value; texts and numbers bare where no JSON is asked. */
export async function printQueried(
  cli: CommandContext,
  format: Format,
  frame: Frame,
  value: unknown,
  expression: string,
  headers: boolean,
): Promise<void> {
  let result: unknown;
  try {
    result = search(expression, value as Json) ?? null;
  } catch (error) {
    if (error instanceof JMESPathError || isTooDeep(error)) throw asUsageError(error, expression);
    throw error;
  }
  for await (const piece of pieces(cli, format, frame, result, headers)) {
    await write(cli.io.stdout, piece);
  }
}

async function* pieces(
  cli: CommandContext,
  format: Format,
  frame: Frame,
  result: unknown,
  headers: boolean,
): AsyncGenerator<string> {
  const list: readonly unknown[] = Array.isArray(result) ? result : [result];
  if (format === 'json') {
    yield `${jsonText(result, 2)}\n`;
  } else if (format === 'jsonl') {
    for (const one of list) yield `${jsonText(one)}\n`;
  } else if (format === 'yaml') {
    yield await (await import('./yaml.ts')).yamlText(result);
  } else if (list.length > 0 && list.every(isObject)) {
    // Made by the expression: of no type of the model, with the columns that it has.
    const columns = [...new Set(list.flatMap((one) => Object.keys(one)))];
    const made = { noun: frame.noun, columns, single: !Array.isArray(result) };
    yield* render(cli, format, isTabular(format) ? made : { ...made, ...frame }, [list], headers);
  } else {
    const line = delimitedLine(cli, format === 'csv' ? 'csv' : 'tsv');
    for (const one of list) {
      const cells: readonly unknown[] = Array.isArray(one) ? one : [one];
      yield `${line(cells.map(cellText))}\n`;
    }
  }
}

function isTabular(format: Format): boolean {
  return ['table', 'wide', 'csv', 'tsv'].includes(format);
}

function isObject(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function cellText(value: unknown): string {
  return typeof value === 'object' && value !== null ? jsonText(value) : plainText(value);
}
