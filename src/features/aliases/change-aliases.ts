/** Stored aliases: list, checks of new ones, changes of the configuration. */
import { findNextArgument } from '../../cli/args/argv-scan.ts';
import { findNoun, type Noun, nouns } from '../../cli/args/catalog.ts';
import { suggestCommand } from '../../cli/other-tools/suggest-command.ts';
import { printView } from '../../cli/output/print.ts';
import { findPlugin } from '../../cli/plugins/find-plugins.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { changeConfiguration } from '../../cli/session/config-file.ts';
import { findCloseMatches } from '../../cli/text/did-you-mean.ts';
import { listAllVerbs } from '../../cli/verbs/derive-verbs.ts';
import { NotFoundError, UsageError } from '../../client/errors.ts';
import { readAliasTable } from './alias-table.ts';
import { findShellOperator, splitWords } from './split-words.ts';

/** Prints all aliases. */
export async function listAliases(cli: CommandContext): Promise<void> {
  await printView(cli, {
    noun: 'aliases',
    items: readAliasTable(cli.io.env).all.map(({ name, command }) => ({ name, command })),
    columns: ['name', 'command'],
  });
}

/** Stores an alias. Throws `UsageError` for a name in use and for a command that cannot run. */
export async function setAlias(cli: CommandContext, name: string, command: string): Promise<void> {
  checkName(cli, name);
  checkCommand(cli, name, command);
  let before: string | undefined;
  await changeConfiguration(cli.paths.configFile, (now) => {
    const { aliases = {} } = now;
    before = Object.hasOwn(aliases, name) ? aliases[name] : undefined;
    return { ...now, aliases: { ...aliases, [name]: command } };
  });
  const replaced = before === undefined || before === command ? '' : ` (before: vmctl ${before})`;
  cli.note(`vmctl ${name} runs: vmctl ${command}${replaced}`);
}

/** Deletes aliases. Throws `NotFoundError` if one does not exist, and deletes none. */
export async function deleteAliases(cli: CommandContext, names: readonly string[]): Promise<void> {
  await changeConfiguration(cli.paths.configFile, (now) => {
    const known = Object.keys(now.aliases ?? {});
    for (const name of names) if (!known.includes(name)) throw createNotFoundError(name, known);
    const kept = Object.entries(now.aliases ?? {}).filter(([name]) => !names.includes(name));
    return { ...now, aliases: Object.fromEntries(kept) };
  });
  cli.note(`deleted ${[...new Set(names)].join(', ')}`);
}

function createNotFoundError(name: string, known: readonly string[]): NotFoundError {
  const near = findCloseMatches(name, known);
  return new NotFoundError(`alias ${name} not found`, {
    hint: near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl alias list',
  });
}

function createError(name: string, problem: string, hint: string): UsageError {
  return new UsageError(`alias ${name}: ${problem}`, { hint });
}

function checkName(cli: CommandContext, name: string): void {
  if (!/^[a-z0-9][a-z0-9_-]*$/i.test(name)) {
    const hint = 'use letters, digits, "-" and "_"; begin with a letter or a digit';
    throw createError(name, 'invalid name', hint);
  }
  const noun = findNoun(name);
  if (noun) {
    const same = noun.name === name ? 'a command of vmctl' : `another name of ${noun.name}`;
    throw createError(name, `the name is ${same}`, 'use another name');
  }
  const plugin = findPlugin(cli.io.env, name);
  if (plugin) throw createError(name, `${plugin.path} has the name`, 'use another name');
}

function checkCommand(cli: CommandContext, name: string, command: string): void {
  if (command.trim().startsWith('!')) {
    const hint = `use a plug-in: an executable vmctl-${name} on the PATH`;
    throw createError(name, 'aliases cannot run shell commands', hint);
  }
  const words = splitWords(command);
  const operator = findShellOperator(command);
  if (operator !== undefined) {
    const hint = `an alias is one command; for ${operator} use a plug-in: an executable vmctl-${name} on the PATH`;
    throw createError(name, `${operator} is an operator of shells`, hint);
  }
  const at = findNextArgument(words);
  const [first = '', second = ''] = [words[at], words[findNextArgument(words, at + 1)]];
  if (first === '')
    throw createError(name, 'no command given', `vmctl alias set ${name} 'vms start $1'`);
  if (first === 'vmctl') {
    throw createError(name, 'the command begins with vmctl', 'leave out vmctl');
  }
  checkPlaceholders(name, words);
  const noun = findNoun(first);
  if (noun) checkVerb(name, noun, second);
  else if (!findPlugin(cli.io.env, first)) {
    const near = findCloseMatches(
      first,
      nouns.map((one) => one.name),
    );
    const other = suggestCommand(words);
    const hint =
      other ?? (near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'vmctl help nouns');
    throw createError(name, `unknown noun "${first}"`, hint);
  }
}

function checkVerb(name: string, noun: Noun, verb: string): void {
  const verbs = listAllVerbs(noun);
  if (verb === '' || verb.includes('$') || verbs.length === 0) return;
  if (verbs.some(({ name, aliases }) => name === verb || aliases.includes(verb))) return;
  const near = findCloseMatches(
    verb,
    verbs.map((one) => one.name),
  );
  throw createError(
    name,
    `${noun.name} has no verb "${verb}"`,
    near.length > 0 ? `did you mean ${near.join(' or ')}?` : `vmctl ${noun.name} --help`,
  );
}

function checkPlaceholders(name: string, words: readonly string[]): void {
  for (const word of words) {
    const wrong = /\$\w*/.exec(word.replaceAll(/\$[1-9@$]/g, ''))?.[0] ?? '';
    if (wrong !== '') {
      const hint = 'use $1 to $9, $@, or $$ for a dollar sign';
      throw createError(name, `unknown placeholder ${wrong} in "${word}"`, hint);
    }
    if (word !== '$@' && word.replaceAll('$$', '').includes('$@')) {
      throw createError(name, `$@ in "${word}" is not a separate word`, 'use $1');
    }
  }
}
