/** Command of a verb: its arguments, flags and help. */
import { listEnumValues } from '../../model/enum-values.ts';
import { type Operation, parseKind } from '../../model/index.ts';
import type { Command, Options, RequestSummary } from '../args/command.ts';
import {
  type ArgumentSpec,
  createRepeatedFlagError,
  defineArgument,
  type FlagSpec,
  formatFlagHelp,
  parseFlagNotation,
  toCamelCase,
} from '../args/parameters.ts';
import { formatDeletionNotes } from './additional-deletions.ts';
import { formatArgumentHint } from './argument-hint.ts';
import { listCollections } from './collections.ts';
import { findVerb, type Verb } from './derive-verbs.ts';
import { createExamples } from './examples.ts';
import { deriveFlags, getHumanNoun, type ModelFlag, type VerbFlags } from './flags.ts';
import { takesName } from './name-argument.ts';
import { listOwnFlags } from './own-flags.ts';
import { formatPurpose } from './purpose.ts';
import { canOmitObject, type Perform, runVerb } from './run-verb.ts';
import { canSelectAll } from './selection.ts';
import { getVerbOptions, isReferenceVerb } from './verb-names.ts';
import { getVerbOutputKind } from './verb-output-kind.ts';

/**
 * Builds the command of a verb.
 * @param implied option values that an alias of the verb implies: `events tail`
 * @param perform implementation of a command that extends the verb
 */
export function createVerbCommand(verb: Verb, implied: Options = {}, perform?: Perform): Command {
  const verbFlags = deriveFlags(verb);
  const purpose = formatPurpose(verb);
  const specs = listArguments(verb, verbFlags);
  const notes = formatDeletionNotes(verb);
  const takesSeveral = specs.some(({ notation }) => notation.includes('...'));
  return {
    noun: verb.noun,
    verb: verb.name,
    aliases: verb.aliases,
    purpose,
    summary: purpose,
    arguments: specs,
    flags: [
      ...verbFlags.flags.map((one) => createModelFlag(one, verbFlags)),
      ...listOwnFlags(verb, verbFlags.flags, takesSeveral),
    ],
    get examples() {
      return createExamples(verb, verbFlags);
    },
    calls: () => summarizeRequests(verb, verbFlags),
    ...(notes === undefined ? {} : { notes }),
    exits: [],
    offline: false,
    ...(verb.kind === 'wait' ? { unshowable: 'many' } : {}),
    ...(['list', 'get', 'wait'].includes(verb.kind) ? { onlyReads: true } : {}),
    prints: getVerbOutputKind(verb, implied),
    ...(verb.kind === 'list' && specs.length === 0
      ? {
          hintForArguments: (words: readonly string[], options: Options) =>
            formatArgumentHint(verb, verbFlags, words, options),
        }
      : {}),
    run: async (cli, positionals, options) => {
      const given = collectModelFlags(options, verbFlags.flags);
      const words = positionals.flat().filter((word) => typeof word === 'string');
      const all = { ...normalizeOptions(verb, options), ...implied };
      await runVerb(cli, verb, verbFlags, given, words, all, perform);
    },
  };
}

/** Normalizes flags with several names that the model does not define. */
function normalizeOptions(verb: Verb, options: Options): Options {
  return {
    ...options,
    ...(options['body'] === undefined ? {} : { fromFile: options['body'] }),
    ...(options['async'] === true ? { wait: false } : {}),
    ...(verb.kind === 'wait' ? { waitTimeout: options['timeout'] } : {}),
  };
}

/** Collects the given flags of the model by key. */
function collectModelFlags(
  options: Options,
  flags: readonly ModelFlag[],
): ReadonlyMap<string, readonly string[]> {
  const given = new Map<string, readonly string[]>();
  for (const { key, names, isMany } of flags) {
    const texts = names.flatMap((name) => {
      const value = options[toCamelCase(name)];
      if (value === undefined) return [];
      return Array.isArray(value) ? value.map(String) : [String(value)];
    });
    if (texts.length > 1 && !isMany)
      throw createRepeatedFlagError(names.map((name) => `--${name}`).join(', '));
    if (texts.length > 0) given.set(key, texts);
  }
  return given;
}

/**
 * Adds the requests of the model's verb with the same name to a hand-made command, and its flags if
 * the command extends it.
 */
export function mergeWithVerb(command: Command): Command {
  const { noun, verb = '', calls } = command;
  const derived = calls().length === 0 ? findVerb(noun, verb) : undefined;
  if (derived?.name !== verb) return command;
  const base = createVerbCommand(derived);
  return command.extendsVerb ? extendCommand(base, command) : { ...command, calls: base.calls };
}

/** Adds the arguments and flags of the model's verb to a command. */
function extendCommand(base: Command, command: Command): Command {
  const own = new Set(command.flags.map(({ notation }) => parseFlagNotation(notation).long));
  return {
    ...command,
    arguments: command.arguments.length > 0 ? command.arguments : base.arguments,
    flags: [
      ...command.flags,
      ...base.flags.filter(({ notation }) => !own.has(parseFlagNotation(notation).long)),
    ],
    calls: base.calls,
    ...(command.prints === undefined && base.prints ? { prints: base.prints } : {}),
  };
}

function summarizeRequests(verb: Verb, { flags, meanings }: VerbFlags): readonly RequestSummary[] {
  return verb.candidates.map((candidate) => {
    const keys = [...(meanings.get(candidate)?.parents.keys() ?? [])];
    const parents = keys.map((key) => {
      const parent = flags.find((one) => one.key === key);
      return `--${parent?.names[0] ?? key}`;
    });
    return summarizeRequest(candidate.operation, parents);
  });
}

/** Summarizes the request of an operation; `parents` are the flags for its parents. */
export function summarizeRequest(
  { name, http, path }: Operation,
  parents: readonly string[] = [],
): RequestSummary {
  return { operation: name, method: http, path, parents };
}

function createModelFlag(model: ModelFlag, { meanings }: VerbFlags): FlagSpec {
  const [name = '', ...others] = model.names.map((one) => `--${one}`);
  const all = [...meanings.values()];
  const [parent] = all.flatMap(({ parents }) => parents.get(model.key) ?? []);
  const [field] = all.flatMap(({ fields }) => fields.get(model.key) ?? []);
  const [query] = all.flatMap(({ queries }) => queries.get(model.key) ?? []);
  const kind = field?.kind ?? query?.kind ?? 'string';
  const { form, of } = parseKind(kind);
  return {
    notation: model.value === undefined ? name : `${name} <${model.value.toLowerCase()}>`,
    doc: formatFlagHelp(model.doc, { many: model.isMany }),
    aliases: others,
    type: parent
      ? `ref ${listCollections(parent.noun)[0]?.type ?? parent.noun}`
      : field?.secret
        ? 'file'
        : kind,
    ...(!parent && form === 'enum' ? { values: listEnumValues(of) } : {}),
    ...(model.value === undefined ? { negatable: true } : {}),
    ...(model.isMany ? { repeatable: true as const } : {}),
    many: model.isMany,
    section: model.section,
  };
}

function listArguments(verb: Verb, verbFlags: Pick<VerbFlags, 'flags'>): readonly ArgumentSpec[] {
  const result: ArgumentSpec[] = [];
  const add = (notation: string, doc: string) => result.push(defineArgument(notation, doc));
  const [owner] = verb.candidates.flatMap((candidate) => candidate.owner ?? []);
  if (owner) add(`<${owner.placeholder}>`, `${getHumanNoun(owner.noun)} (name or id)`);
  const { argument: extra, takesBricks } = getVerbOptions(verb);
  const word = getObjectName(verb);
  if (takesBricks) add('<brick...>', 'HOST:/DIRECTORY');
  else if (isReferenceVerb(verb) || alwaysTakesObject(verb)) {
    const several = canSelectAll(verb) || canOmitObject(verb) ? `[${word}...]` : `<${word}...>`;
    add(extra ? `<${word}>` : several, 'names or ids; - for stdin');
  } else if (verb.candidates.some(({ takesObject }) => takesObject)) {
    add(`[${word}...]`, 'names or ids; - for stdin');
  }
  if (extra) add(`<${extra.name}>`, extra.doc);
  if (takesName(verb, verbFlags)) add('[name]', 'name of the new object (same as --name)');
  return result;
}

function alwaysTakesObject(verb: Verb): boolean {
  return verb.isStatistics !== true && verb.candidates.every(({ takesObject }) => takesObject);
}

/** Returns the name of an object in usage lines: the last placeholder of its path. */
function getObjectName(verb: Verb): string {
  const path = verb.candidates.find(({ collection }) => collection.object)?.collection.object;
  return path?.slice(path.lastIndexOf('{') + 1, -1) ?? 'ref';
}
