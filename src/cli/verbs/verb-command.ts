/** The commander commands of a noun of the API: the named verb in full, the others by name. */

import { type Command, Option } from 'commander';
import { stateAttribute } from '../../client/settle.ts';
import { isSearchable } from '../../model/index.ts';
import { nounPage, verbPage } from '../help/pages.ts';
import type { CommandContext } from '../session/command-context.ts';
import { type Verb, verbOf, verbsOf } from './derive-verbs.ts';
import { type Flag, flagsOf, humanNoun } from './flags.ts';
import { followUpFlags } from './follow-up-actions.ts';
import { networkSetupFlags } from './network-setup.ts';
import { purposeOf } from './purpose.ts';
import { camel, type Options } from './run.ts';
import { runVerb } from './run-verb.ts';
import { searches, selects } from './selection.ts';
import {
  brickVerbs,
  extraArguments,
  isReferenceVerb,
  objectVerbs,
  queryShortcuts,
} from './verb-names.ts';

/** Adds the verbs. Only the one that is named gets its flags: the others are not going to run. */
export function addVerbs(
  command: Command,
  noun: string,
  word: string | undefined,
  cli: CommandContext,
  special: Readonly<Record<string, string>>,
): void {
  const named = word === undefined ? undefined : verbOf(noun, word);
  if (named) {
    addVerb(command, named, cli, word === 'tail' ? { tail: true } : {});
    return;
  }
  for (const verb of verbsOf(noun)) {
    command.command(verb.name).aliases(verb.aliases).description(purposeOf(verb));
  }
  for (const [name, doc] of Object.entries(special)) command.command(name).description(doc);
  command.configureHelp({ formatHelp: () => nounPage(noun, special) });
}

function addVerb(parent: Command, verb: Verb, cli: CommandContext, implied: Options): void {
  const verbFlags = flagsOf(verb);
  const command = parent.command(verb.name).aliases(verb.aliases);
  command.description(purposeOf(verb));
  for (const [name, doc] of argumentsOf(verb)) command.argument(name, doc);
  for (const flag of verbFlags.flags) addFlag(command, flag);
  for (const option of ownOptions(verb, verbFlags.flags)) command.addOption(option);
  command.configureHelp({ formatHelp: () => verbPage(verb, verbFlags, command) });
  command.action(async (...parts: unknown[]) => {
    const positionals = parts.slice(0, -2).flat().filter(isText);
    const options = { ...optionsOf(verb, command.opts()), ...implied };
    await runVerb(cli, verb, verbFlags, givenOf(command, verbFlags.flags), positionals, options);
  });
}

/** The flags that do not come from the model, under one name each. */
function optionsOf(verb: Verb, options: Options): Options {
  return {
    ...options,
    ...(options['body'] === undefined ? {} : { fromFile: options['body'] }),
    ...(options['async'] === true ? { wait: false } : {}),
    ...(verb.kind === 'wait' ? { waitTimeout: options['timeout'] } : {}),
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** The arguments of a verb, as commander declares them, with what they are. */
export function argumentsOf(verb: Verb): readonly (readonly [string, string])[] {
  const name = `${verb.noun} ${verb.name}`;
  const result: (readonly [string, string])[] = [];
  const [owner] = verb.candidates.flatMap((candidate) => candidate.owner ?? []);
  if (owner) result.push([`<${owner.placeholder}>`, `the ${humanNoun(owner.noun)}: name or id`]);
  const extra = extraArguments[name];
  const word = objectWord(verb);
  if (brickVerbs.has(name)) result.push(['<brick...>', 'HOST:/DIRECTORY']);
  else if (isReferenceVerb(verb.noun, verb.name) || everyTakesObject(verb)) {
    const several = selects(verb) ? `[${word}...]` : `<${word}...>`;
    result.push([extra ? `<${word}>` : several, 'names or ids; - reads them from stdin']);
  } else if (verb.candidates.some(({ takesObject }) => takesObject)) {
    result.push([`[${word}...]`, 'names or ids; - reads them from stdin']);
  }
  if (extra) result.push([`<${extra.name}>`, extra.doc]);
  return result;
}

function everyTakesObject(verb: Verb): boolean {
  return verb.isStatistics !== true && verb.candidates.every(({ takesObject }) => takesObject);
}

/** What an object of the verb is called in its usage: the last placeholder of its path. */
function objectWord(verb: Verb): string {
  const path = verb.candidates.find(({ collection }) => collection.object)?.collection.object;
  return path?.slice(path.lastIndexOf('{') + 1, -1) ?? 'ref';
}

function collect(value: string, before: unknown): readonly unknown[] {
  return [...(Array.isArray(before) ? before : []), value];
}

/** Under its first name in help, under the others in silence. */
function addFlag(command: Command, flag: Flag): void {
  for (const [index, name] of flag.names.entries()) {
    const hidden = index > 0;
    if (flag.value === undefined) {
      command.addOption(new Option(`--${name}`, flag.doc).hideHelp(hidden));
      command.addOption(new Option(`--no-${name}`).hideHelp());
    } else {
      const option = new Option(`--${name} <${flag.value}>`, flag.doc);
      command.addOption(option.argParser(collect).hideHelp(hidden));
    }
  }
}

/** Flags that do not come from the model. */
function ownOptions(verb: Verb, flags: readonly Flag[]): readonly Option[] {
  const name = `${verb.noun} ${verb.name}`;
  const options: Option[] = [];
  const add = (flags: string, doc: string) => {
    const option = new Option(flags, doc);
    options.push(option);
    return option;
  };
  const changes = !['list', 'get', 'wait'].includes(verb.kind);
  const hasBody =
    verb.kind === 'add' ||
    verb.kind === 'update' ||
    verb.candidates.some(({ operation }) => operation.body.some((one) => one !== 'async'));
  if (verb.candidates.some(({ parents }) => parents.length > 0)) {
    add('--on <KIND/REF>', 'The object that they belong to, with its kind: vms/web01.');
  }
  if (verb.kind === 'list' && !verb.isStatistics) {
    if (!verb.candidates.some(({ operation }) => operation.query.includes('max'))) {
      add('--limit <N>', 'Only the first N.');
    }
    if (verb.candidates.some(({ operation }) => isSearchable(operation))) {
      add('--page <N>', 'That page of a list; --limit is the size of the pages.');
      add('--page-size <N>', 'Read the list in pages of so many objects, instead of at once.');
    }
    if (name !== 'events list') {
      add('--watch', 'List again and again until Ctrl-C; off a terminal only what changed.');
      add('--interval <DURATION>', 'With --watch: how often (2s).');
    }
  }
  if (name === 'events list') {
    add('--tail', 'Go on printing what happens, until Ctrl-C; --limit N shows the last N first.');
    add('--cursor <FILE>', 'With --tail: go on where the last run with this file ended.');
    add('--count <N>', 'With --tail: end after so many events.');
    add('--until-idle <DURATION>', 'With --tail: end when nothing has happened for this long.');
    add('--interval <DURATION>', 'With --tail: how often to look (2s).');
  }
  if (verb.isStatistics) add('--statistic <REF>', 'Only this one, by name or id.');
  if (changes && hasBody) {
    add('-f, --from-file <FILE>', 'Take attributes from JSON, YAML or XML; - is stdin.');
    add('--body <FILE>', '').hideHelp();
    add('--set <PATH=VALUE>', 'Set any attribute; may be repeated.').argParser(collect);
    add('--set-json <PATH=JSON>', 'The same with JSON.').argParser(collect);
  }
  for (const { flag, value, doc } of followUpFlags(verb)) {
    add(value === undefined ? `--${flag}` : `--${flag} <${value}>`, doc);
  }
  if (name === 'hosts setup-networks') {
    for (const [flags, doc] of networkSetupFlags) add(flags, doc).argParser(collect);
  }
  const shortcut = queryShortcuts[name];
  if (shortcut) add(`--${shortcut.flag}`, shortcut.doc);
  if (objectVerbs.has(name)) add('--object <KIND/REF>', 'What the permission is about.');
  if (verb.kind === 'wait') {
    add('--for <CONDITION>', 'status=up, status!=locked, exists, gone; by default: settled.');
    add('--timeout <DURATION>', 'Give up after this time (10m).');
  }
  if (changes && verb.kind !== 'update') {
    const hasState = verb.candidates.some(
      ({ collection }) => stateAttribute(collection.type) !== undefined,
    );
    const waiting = [
      add('--wait', 'Wait until the work is done (this is the default).'),
      add('--no-wait', 'Return at once.'),
      add('--wait-timeout <DURATION>', 'Give up waiting after this time (10m).'),
    ];
    for (const option of waiting) option.hideHelp(!hasState);
    add('--async', '').hideHelp();
  }
  if (selects(verb) && !extraArguments[name]) {
    add('--all', 'Do it to all of them, or to all that --search finds; asks first.');
    if (searches(verb)) add('--search <QUERY>', 'With --all: only those that this search finds.');
  }
  if (argumentsOf(verb).some(([argument]) => argument.includes('...'))) {
    add('--parallel <N>', 'Objects at a time, 1 to 16 (4).');
    if (changes) add('--fail-fast', 'Stop after the first failure.');
  }
  const taken = new Set(flags.flatMap(({ names }) => names));
  return options.filter(({ long }) => !taken.has(long?.slice(2) ?? ''));
}

/** The flags of the model that were given, by key. */
function givenOf(command: Command, flags: readonly Flag[]): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, readonly string[]>();
  for (const { key, names } of flags) {
    const texts = names.flatMap((name) => {
      const option = camel(name);
      if (command.getOptionValueSource(option) !== 'cli') return [];
      const value: unknown = command.getOptionValue(option);
      return Array.isArray(value) ? value.map(String) : [String(value)];
    });
    if (texts.length > 0) given.set(key, texts);
  }
  return given;
}
