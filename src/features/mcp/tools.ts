/** Tools for agents, made from the commands: one for each noun, with its verbs. */

import { type Noun, nounOf, nouns } from '../../cli/args/catalog.ts';
import type { Command, NounModules } from '../../cli/args/command.ts';
import { verbsOf } from '../../cli/verbs/derive-verbs.ts';
import { commandOf, inPlaceOf } from '../../cli/verbs/verb-command.ts';
import { UsageError } from '../../client/errors.ts';
import { isHarmful, operationAt } from '../../client/harm.ts';

/** A noun as a tool. */
export interface NounTool {
  readonly name: string;
  readonly description: string;
  /** The commands that it may run; one without a verb is the noun itself. */
  readonly commands: readonly Command[];
}

/** Commands that take the terminal for themselves, never end, or are about this program alone. */
const withoutTool: ReadonlySet<string> = new Set([
  ...['vms ssh', 'vms console', 'vms screenshot', 'images serve'],
  ...['login', 'logout', 'context', 'config', 'completion', 'commands'],
  ...['watch', 'ui', 'mcp', 'serve', 'help'],
]);

/**
 * The tools for nouns, by default for those that the first page of help has. Throws `UsageError` for a
 * noun that there is not, or that has nothing to offer.
 */
export async function toolsOf(
  modules: NounModules,
  names: readonly string[] | undefined,
  allowChanges: boolean,
): Promise<readonly NounTool[]> {
  const chosen = names?.map(nounNamed) ?? nouns.filter(({ more }) => !more);
  const tools: NounTool[] = [];
  for (const noun of chosen) {
    const all = await commandsOf(noun, modules);
    const commands = all.filter((one) => allowChanges || one.onlyReads === true);
    if (commands.length > 0) {
      tools.push({ name: noun.name, description: descriptionOf(noun, commands), commands });
    } else if (names) {
      throw new UsageError(`--nouns ${noun.name}: no tools for this noun`, {
        hint: allowChanges ? 'remove it' : '--allow-changes may add some',
      });
    }
  }
  return tools;
}

function nounNamed(word: string): Noun {
  const noun = nounOf(word.trim());
  if (noun) return noun;
  throw new UsageError(`--nouns ${word}: unknown noun`, {
    hint: 'vmctl help nouns',
  });
}

async function commandsOf(noun: Noun, modules: NounModules): Promise<readonly Command[]> {
  if (withoutTool.has(noun.name)) return [];
  const made = (await modules[noun.name]?.())?.commands ?? [];
  const own = noun.api ? made.map(inPlaceOf) : made;
  const derived = noun.api
    ? verbsOf(noun.name)
        .filter(({ name }) => !own.some(({ verb }) => verb === name))
        .map((verb) => commandOf(verb))
    : [];
  return [...derived, ...own].filter(
    ({ verb }) => verb === undefined || !withoutTool.has(`${noun.name} ${verb}`),
  );
}

function descriptionOf({ doc }: Noun, commands: readonly Command[]): string {
  const lines = commands.map(({ verb, purpose, arguments: all }) => {
    const words = all.map(({ notation }) => notation).join(' ');
    return `${verb ?? ''} ${words}`.trim() + (verb === undefined ? '' : `: ${purpose}`);
  });
  return `${doc}.\n${lines.join('\n')}`;
}

/** What has to be said to a tool, as JSON Schema. */
export function inputSchemaOf({ commands }: NounTool) {
  const verbs = commands.flatMap(({ verb }) => verb ?? []);
  const takesInput = commands.some(({ flags }) =>
    flags.some(({ notation }) => notation.includes('--from-file')),
  );
  const value = { type: ['string', 'number', 'boolean'] };
  return {
    type: 'object' as const,
    properties: {
      ...(verbs.length > 0 ? { verb: { type: 'string', enum: verbs } } : {}),
      arguments: {
        type: 'array',
        items: { type: 'string' },
        description: 'Arguments of the verb: names or ids of objects.',
      },
      flags: {
        type: 'object',
        additionalProperties: { anyOf: [value, { type: 'array', items: value }] },
        description:
          'Flags without dashes, as listed by the tool help: {"search": "status=up", "columns": "name,status"}.',
      },
      ...(takesInput
        ? {
            input: {
              type: 'string',
              description: 'Attributes as JSON or YAML, for the flag from-file with the value -.',
            },
          }
        : {}),
    },
    ...(verbs.length > 0 ? { required: ['verb'] } : {}),
    additionalProperties: false,
  };
}

/** What hosts of agents should know of a tool before they let it be used. */
export function annotationsOf({ commands }: NounTool) {
  const readOnlyHint = commands.every(({ onlyReads }) => onlyReads === true);
  const destructiveHint = commands.some((one) => one.calls().some(mayHarm));
  return { readOnlyHint, destructiveHint, openWorldHint: false };
}

function mayHarm({ method, path }: ReturnType<Command['calls']>[number]): boolean {
  const operation = operationAt(method, path.split('/').slice(1));
  return operation === undefined || isHarmful(operation);
}
