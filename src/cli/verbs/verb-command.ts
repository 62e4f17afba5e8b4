/** The command of a verb that the model describes. */
import { stateAttribute } from '../../client/poll.ts';
import { type EnumName, enums } from '../../model/enums.ts';
import { isSearchable, type Operation, parseKind } from '../../model/index.ts';
import type { Call, Command, Options } from '../args/command.ts';
import {
  type ArgumentSpec,
  argument,
  camelCase,
  type FlagOptions,
  type FlagSpec,
  flag,
  flagHelp,
  flagParts,
  givenTwice,
} from '../args/parameters.ts';
import { collectionsOf } from './collections.ts';
import { type Verb, verbOf } from './derive-verbs.ts';
import { examplesOf } from './examples.ts';
import { flagsOf, humanNoun, type ModelFlag, type VerbFlags } from './flags.ts';
import { followUpFlags } from './follow-up-actions.ts';
import { canBeNeedless } from './if-needed.ts';
import { takesName } from './name-argument.ts';
import { networkSetupFlags } from './network-setup.ts';
import { printsOf } from './printed-by-verb.ts';
import { purposeOf } from './purpose.ts';
import { ownersOnlyOne, type Perform, runVerb } from './run-verb.ts';
import { globs, searches, selects } from './selection.ts';
import { isReferenceVerb, verbOptions } from './verb-names.ts';

/**
 * The command of a verb. Only the verb that is run, or explained, is worth the work.
 * @param implied values of flags that the word for the verb stands for: `events tail`
 * @param perform what a command that extends the verb does with it
 */
export function commandOf(verb: Verb, implied: Options = {}, perform?: Perform): Command {
  const verbFlags = flagsOf(verb);
  const purpose = purposeOf(verb);
  return {
    noun: verb.noun,
    verb: verb.name,
    aliases: verb.aliases,
    purpose,
    summary: purpose,
    arguments: argumentsOf(verb, verbFlags),
    flags: [
      ...verbFlags.flags.map((one) => modelFlag(one, verbFlags)),
      ...ownFlags(verb, verbFlags.flags),
    ],
    get examples() {
      return examplesOf(verb, verbFlags);
    },
    calls: () => callsOf(verb, verbFlags),
    exits: [],
    offline: false,
    ...(verb.kind === 'wait' ? { unshowable: 'many' } : {}),
    ...(['list', 'get', 'wait'].includes(verb.kind) ? { onlyReads: true } : {}),
    prints: printsOf(verb, implied),
    run: async (cli, positionals, options) => {
      const given = givenOf(options, verbFlags.flags);
      const words = positionals.flat().filter((word) => typeof word === 'string');
      const all = { ...optionsOf(verb, options), ...implied };
      await runVerb(cli, verb, verbFlags, given, words, all, perform);
    },
  };
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

/** The flags of the model that were given, by key. */
function givenOf(
  options: Options,
  flags: readonly ModelFlag[],
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, readonly string[]>();
  for (const { key, names, isMany } of flags) {
    const texts = names.flatMap((name) => {
      const value = options[camelCase(name)];
      if (value === undefined) return [];
      return Array.isArray(value) ? value.map(String) : [String(value)];
    });
    if (texts.length > 1 && !isMany) throw givenTwice(names.map((name) => `--${name}`).join(', '));
    if (texts.length > 0) given.set(key, texts);
  }
  return given;
}

/** A hand-made command; where the model has a verb of its name, it sends what that would. */
export function inPlaceOf(command: Command): Command {
  const { noun, verb = '', calls } = command;
  const derived = calls().length === 0 ? verbOf(noun, verb) : undefined;
  if (derived?.name !== verb) return command;
  const base = commandOf(derived);
  return command.extendsVerb ? extended(base, command) : { ...command, calls: base.calls };
}

/** A command with all that the verb of the model has, and what it adds. */
function extended(base: Command, command: Command): Command {
  const own = new Set(command.flags.map(({ notation }) => flagParts(notation).long));
  return {
    ...command,
    arguments: base.arguments,
    flags: [
      ...command.flags,
      ...base.flags.filter(({ notation }) => !own.has(flagParts(notation).long)),
    ],
    calls: base.calls,
    ...(command.prints === undefined && base.prints ? { prints: base.prints } : {}),
  };
}

function callsOf(verb: Verb, { flags, meanings }: VerbFlags): readonly Call[] {
  return verb.candidates.map((candidate) => {
    const keys = [...(meanings.get(candidate)?.parents.keys() ?? [])];
    const parents = keys.map((key) => {
      const parent = flags.find((one) => one.key === key);
      return `--${parent?.names[0] ?? key}`;
    });
    return callOf(candidate.operation, parents);
  });
}

/** The request of an operation; `parents` are the flags that name what is above the object. */
export function callOf({ name, http, path }: Operation, parents: readonly string[] = []): Call {
  return { operation: name, method: http, path, parents };
}

function modelFlag(model: ModelFlag, { meanings }: VerbFlags): FlagSpec {
  const [name = '', ...others] = model.names.map((one) => `--${one}`);
  const all = [...meanings.values()];
  const [parent] = all.flatMap(({ parents }) => parents.get(model.key) ?? []);
  const [field] = all.flatMap(({ fields }) => fields.get(model.key) ?? []);
  const [query] = all.flatMap(({ queries }) => queries.get(model.key) ?? []);
  const kind = field?.kind ?? query?.kind ?? 'string';
  const { form, of } = parseKind(kind);
  return {
    notation: model.value === undefined ? name : `${name} <${model.value.toLowerCase()}>`,
    doc: flagHelp(model.doc, { many: model.isMany }),
    aliases: others,
    type: parent
      ? `ref ${collectionsOf(parent.noun)[0]?.type ?? parent.noun}`
      : field?.secret
        ? 'file'
        : kind,
    ...(!parent && form === 'enum' ? { values: enums[of as EnumName] } : {}),
    ...(model.value === undefined ? { negatable: true } : {}),
    ...(model.isMany ? { repeatable: true as const } : {}),
    many: model.isMany,
    section: model.section,
  };
}

function argumentsOf(verb: Verb, verbFlags: Pick<VerbFlags, 'flags'>): readonly ArgumentSpec[] {
  const result: ArgumentSpec[] = [];
  const add = (notation: string, doc: string) => result.push(argument(notation, doc));
  const [owner] = verb.candidates.flatMap((candidate) => candidate.owner ?? []);
  if (owner) add(`<${owner.placeholder}>`, `${humanNoun(owner.noun)} (name or id)`);
  const { argument: extra, takesBricks } = verbOptions(verb);
  const word = objectWord(verb);
  if (takesBricks) add('<brick...>', 'HOST:/DIRECTORY');
  else if (isReferenceVerb(verb) || everyTakesObject(verb)) {
    const several = selects(verb) || ownersOnlyOne(verb) ? `[${word}...]` : `<${word}...>`;
    add(extra ? `<${word}>` : several, 'names or ids; - for stdin');
  } else if (verb.candidates.some(({ takesObject }) => takesObject)) {
    add(`[${word}...]`, 'names or ids; - for stdin');
  }
  if (extra) add(`<${extra.name}>`, extra.doc);
  if (takesName(verb, verbFlags)) add('[name]', 'name of the new object (same as --name)');
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

/** Flags that do not come from the model. */
function ownFlags(verb: Verb, modelFlags: readonly ModelFlag[]): readonly FlagSpec[] {
  const name = `${verb.noun} ${verb.name}`;
  const flags: FlagSpec[] = [];
  const add = (notation: string, doc: string, options?: FlagOptions) =>
    flags.push(flag(notation, doc, options));
  const searchFlag = () =>
    add('--no-search-check', 'skip the validation of --search', {
      undoes: true,
    });
  const changes = !['list', 'get', 'wait'].includes(verb.kind);
  const hasBody =
    verb.kind === 'add' ||
    verb.kind === 'update' ||
    verb.candidates.some(({ operation }) => operation.body.some((one) => one !== 'async'));
  if (verb.candidates.some(({ parents }) => parents.length > 0)) {
    const [parent] = verb.candidates.flatMap(({ parents }) => parents);
    add(
      '--on <kind/ref>',
      `parent object with its kind, for example ${parent?.noun ?? 'vms'}/NAME`,
      {
        ...(changes ? { repeatable: true } : {}),
      },
    );
  }
  if (verb.kind === 'list' && !verb.isStatistics) {
    if (!verb.candidates.some(({ operation }) => operation.query.includes('max'))) {
      add('--limit <n>', 'maximum number of objects');
    }
    if (verb.candidates.some(({ operation }) => isSearchable(operation))) {
      searchFlag();
      add('--page <n>', 'number of the page to print; --limit sets the size of a page');
      add('--page-size <n>', 'number of objects per request (default: all)');
    }
    if (name !== 'events list') {
      add(
        '--watch [interval]',
        'repeat the list until Ctrl-C (default interval 2s); without a terminal, print changes only',
      );
      add('--interval <duration>', '', { hidden: true });
    }
  }
  if (name === 'events list') {
    add('--tail', 'print new events until Ctrl-C; with --limit N, the last N events first');
    add('--cursor <file>', 'with --tail: file with the position for the next run');
    add('--count <n>', 'with --tail: exit after this number of events');
    add('--since <when>', 'with --tail: start at this time, or this long ago, as in 10m');
    add('--severity <words>', "with --tail: severities, for example error,alert or '>normal'");
    add('--until-idle <duration>', 'with --tail: exit if no event arrives during this time');
    add('--interval <duration>', 'with --tail: poll interval (default 2s)');
  }
  if (verb.isStatistics) add('--statistic <ref>', 'statistic to show (name or id)');
  if (changes && hasBody) {
    add('-f, --from-file <file>', 'attributes as JSON, YAML or XML; - for stdin');
    add('--body <file>', '', { hidden: true });
    add(
      '--set <path=value>',
      'set an attribute by its path, as in os.type=linux (may be repeated)',
      { repeatable: true },
    );
    add('--set-json <path=json>', 'set an attribute to a JSON value', { repeatable: true });
  }
  for (const { name, value, doc } of followUpFlags(verb)) {
    add(value === undefined ? `--${name}` : `--${name} <${value}>`, doc);
  }
  if (name === 'hosts setup-networks') {
    flags.push(...networkSetupFlags);
  }
  const shortcut = verbOptions(verb).queryShortcut;
  if (shortcut) add(`--${shortcut.flag}`, shortcut.doc);
  const { namesObject, foundBy = [] } = verbOptions(verb);
  for (const attribute of foundBy) {
    const doc = `${attribute} of the object, instead of its id (name or id)`;
    add(`--${attribute} <ref>`, doc, { type: `ref ${attribute}` });
  }
  if (namesObject || foundBy.length > 0) {
    add('--object <kind/ref>', '', { hidden: true });
  }
  if (verb.kind === 'wait') {
    add('--for <condition>', 'condition: status=up, exists, gone or event=32 (default settled)');
    add('--timeout <duration>', 'timeout (default 10m)');
  }
  if (changes && verb.kind !== 'update') {
    const hasState = verb.candidates.some(
      ({ collection }) => stateAttribute(collection.type) !== undefined,
    );
    const hidden = !hasState;
    add('--wait', 'wait for the operation to finish (default)', { hidden });
    add('--no-wait', 'return before the operation finishes', { hidden, undoes: true });
    add(
      '--for <condition>',
      'wait for this condition instead of the final state, as in status=up',
      { hidden },
    );
    add('--wait-timeout <duration>', 'maximum time to wait (default 10m)', { hidden });
    add('--async', '', { hidden: true });
  }
  if (changes && canBeNeedless(verb)) {
    add('--if-needed', 'if nothing would change, send no request and exit with 0');
  }
  if (selects(verb) && !verbOptions(verb).argument) {
    add('--all', 'run for all objects, or all that match --search; asks first');
    if (searches(verb)) {
      add('--search <query>', 'with --all, select objects by this query; @NAME is a bookmark');
      searchFlag();
    }
  }
  if (globs(verb) && !verbOptions(verb).argument) {
    const prompts = changes ? '; asks first if several match' : '';
    add('--glob', `treat names as patterns: 'web*', 'db-?'${prompts}`);
  }
  if (argumentsOf(verb, { flags: modelFlags }).some(({ notation }) => notation.includes('...'))) {
    add('--parallel <n>', 'number of objects to process at the same time, 1 to 16 (default 4)');
    if (changes) add('--fail-fast', 'stop after the first failure');
  }
  const taken = new Set(modelFlags.flatMap(({ names }) => names));
  return flags.filter(({ notation }) => !taken.has(flagParts(notation).long.slice(2)));
}
