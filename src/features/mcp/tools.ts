/** Tool definitions for agents: one tool per noun, with its verbs. */

import { findNoun, type Noun, nouns } from '../../cli/args/catalog.ts';
import type { Command, NounModules } from '../../cli/args/command.ts';
import { listVerbs } from '../../cli/verbs/derive-verbs.ts';
import { createVerbCommand, mergeWithVerb } from '../../cli/verbs/verb-command.ts';
import { UsageError } from '../../client/errors.ts';
import { isHarmful, operationAt } from '../../client/harm.ts';

/** Tool of a noun. */
export interface NounTool {
  readonly name: string;
  readonly description: string;
  /** Commands of the tool; a command without a verb is the noun itself. */
  readonly commands: readonly Command[];
}

/**
 * Commands without a tool. They need a terminal, run without end, or concern only this program.
 */
const commandsWithoutTool: ReadonlySet<string> = new Set([
  ...['vms ssh', 'vms scp', 'vms console', 'vms screenshot', 'images serve'],
  ...['login', 'logout', 'context', 'config', 'completion', 'commands'],
  ...['watch', 'ui', 'mcp', 'serve', 'help'],
]);

/**
 * Tools for nouns, by default for those on the first help page. Throws `UsageError` for an unknown
 * noun or a noun without commands.
 */
export async function createTools(
  modules: NounModules,
  names: readonly string[] | undefined,
  allowChanges: boolean,
): Promise<readonly NounTool[]> {
  const chosen = names?.map(requireNoun) ?? nouns.filter(({ more }) => !more);
  const tools: NounTool[] = [];
  for (const noun of chosen) {
    const all = await listCommands(noun, modules);
    const commands = all.filter((one) => allowChanges || one.onlyReads === true);
    if (commands.length > 0) {
      tools.push({ name: noun.name, description: describeTool(noun, commands), commands });
    } else if (names) {
      throw new UsageError(`--nouns ${noun.name}: no tools for this noun`, {
        hint: allowChanges ? 'remove it' : '--allow-changes may add some',
      });
    }
  }
  return tools;
}

function requireNoun(word: string): Noun {
  const noun = findNoun(word.trim());
  if (noun) return noun;
  throw new UsageError(`--nouns ${word}: unknown noun`, {
    hint: 'vmctl help nouns',
  });
}

async function listCommands(noun: Noun, modules: NounModules): Promise<readonly Command[]> {
  if (commandsWithoutTool.has(noun.name)) return [];
  const made = (await modules[noun.name]?.())?.commands ?? [];
  const own = noun.api ? made.map(mergeWithVerb) : made;
  const derived = noun.api
    ? listVerbs(noun.name)
        .filter(({ name }) => !own.some(({ verb }) => verb === name))
        .map((verb) => createVerbCommand(verb))
    : [];
  return [...derived, ...own].filter(
    ({ verb = '' }) => verb !== 'edit' && !commandsWithoutTool.has(`${noun.name} ${verb}`),
  );
}

function describeTool({ doc }: Noun, commands: readonly Command[]): string {
  const lines = commands.map(({ verb, purpose, arguments: all }) => {
    const words = all.map(({ notation }) => notation).join(' ');
    return `${verb ?? ''} ${words}`.trim() + (verb === undefined ? '' : `: ${purpose}`);
  });
  return `${doc}.\n${lines.join('\n')}`;
}

/** JSON Schema of the tool input. */
export function createInputSchema({ commands }: NounTool) {
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

/** Annotations of a tool: whether it is read-only or destructive. */
export function createAnnotations({ commands }: NounTool) {
  const readOnlyHint = commands.every(({ onlyReads }) => onlyReads === true);
  const destructiveHint = commands.some((one) => one.calls().some(mayHarm));
  return { readOnlyHint, destructiveHint, openWorldHint: false };
}

function mayHarm({ method, path }: ReturnType<Command['calls']>[number]): boolean {
  const operation = operationAt(method, path.split('/').slice(1));
  return operation === undefined || isHarmful(operation);
}
