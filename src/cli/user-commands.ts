/** Commands of the user: plug-ins and aliases. */
import { getErrorMessage } from '../caught-errors.ts';
import { findNextArgument } from './args/argv-scan.ts';
import { findNoun } from './args/catalog.ts';
import type { Alias, AliasTable, CommandGroup } from './args/user-commands.ts';
import { readAliases } from './feature-hooks.ts';
import { findPlugin, findPlugins } from './plugins/find-plugins.ts';
import type { Environment } from './session/io.ts';

/** Lists the plug-ins and aliases that `vmctl` can run. */
export async function listUserCommands(env: Environment): Promise<readonly CommandGroup[]> {
  const plugins = findPlugins(env).map(({ name, path }) => [name, path] as const);
  const aliases = (await listAliases(env))
    .filter(({ name }) => !findNoun(name) && !plugins.some(([plugin]) => plugin === name))
    .map(({ name, command }) => [name, command] as const);
  return [
    { title: 'Plug-ins', commands: plugins },
    { title: 'Aliases', commands: aliases },
  ].filter(({ commands }) => commands.length > 0);
}

/** Lists aliases for the help, which also works with an unreadable configuration. */
async function listAliases(env: Environment): Promise<readonly Alias[]> {
  try {
    return (await readAliases(env))?.all ?? [];
  } catch (error) {
    return [{ name: '(unknown)', command: getErrorMessage(error) }];
  }
}

/** Finds an alias; undefined if a noun or a plug-in has the name. */
export async function findAlias(
  env: Environment,
  name: string,
): Promise<{ readonly alias: Alias; readonly table: AliasTable } | undefined> {
  if (findNoun(name) || findPlugin(env, name)) return undefined;
  const table = await readAliases(env);
  const alias = table?.all.find((one) => one.name === name);
  return table && alias && { alias, table };
}

/** Replaces an alias by its command. Flags before the alias remain. */
export async function expandAlias(
  words: readonly string[],
  env: Environment,
): Promise<readonly string[]> {
  const at = findNextArgument(words);
  const found = await findAlias(env, words[at] ?? '');
  if (!found) return words;
  const args = words.slice(at + 1);
  const [first = ''] = args;
  if (args.length === 1 && ['-h', '--help'].includes(first)) return ['help', found.alias.name];
  return [...words.slice(0, at), ...found.table.expand(found.alias, args)];
}

/** Placeholder of the word at the cursor. */
const cursor = '\0';

/** Replaces an alias, or words of other tools, before the cursor; undefined for unknown words. */
export async function replaceWords(
  before: readonly string[],
  env: Environment,
): Promise<readonly string[] | undefined> {
  const at = findNextArgument(before);
  const flags = before.slice(0, Math.max(0, at));
  const [first = '', ...rest] = before.slice(flags.length);
  const found = await findAlias(env, first);
  // These modules derive the verbs of all nouns, which completion of a known noun does not need.
  const { findAnyNoun, translateWords } = await import('./other-tools/suggest-command.ts');
  const noun = findAnyNoun(first);
  if (!found && noun !== undefined && rest.length === 0) return [...flags, noun];
  const words = found
    ? found.table.expandPartly(found.alias, [...rest, cursor])
    : translateWords([first, ...rest, cursor]);
  const end = words?.indexOf(cursor) ?? -1;
  return words && end >= 0 ? [...flags, ...words.slice(0, end)] : undefined;
}
