/** Choices for values of flags and arguments: words, object names, values from the model. */
import { findNoun, nouns } from '../args/catalog.ts';
import { topicNames } from '../help/topic-names.ts';
import { allContexts } from '../session/config-file.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import type { Io } from '../session/io.ts';
import { type NameCollection, readCachedNames } from '../session/name-cache.ts';
import { defaultKeys, settingNames, settings } from '../session/settings.ts';
import { type Choice, listNounChoices, type Offer } from './choice.ts';
import type { CommandLine } from './command-line.ts';
import { type ModelKind, readCommands, type ValueChoice } from './table.ts';

const withoutDocs = (words: readonly string[]) => words.map((word): Choice => [word, '']);

export class ValueChoices {
  readonly #io: Io;
  readonly #configured: EffectiveSettings;
  readonly #line: CommandLine;

  constructor(io: Io, configured: EffectiveSettings, line: CommandLine) {
    this.#io = io;
    this.#configured = configured;
    this.#line = line;
  }

  /** Returns the choices, including those that do not start with the typed text. */
  async listChoices(choice: ValueChoice, typed: string): Promise<Offer> {
    if (choice.values) return { choices: withoutDocs(choice.values) };
    if (choice.noun !== undefined) {
      const place = this.#line.findCollection(choice);
      return { choices: place ? withoutDocs(await this.#listObjects(place, typed)) : [] };
    }
    if (choice.of === 'files') return { choices: [], files: true };
    return { choices: choice.of === undefined ? [] : await this.#listByKind(choice.of, typed) };
  }

  async #listByKind(of: NonNullable<ValueChoice['of']>, typed: string): Promise<readonly Choice[]> {
    switch (of) {
      case 'contexts':
        return withoutDocs(Object.keys(this.#configured.configuration.contexts));
      case 'severalContexts': {
        const names = Object.keys(this.#configured.configuration.contexts);
        return withoutDocs(names.length > 1 ? [...names, allContexts] : names);
      }
      case 'nouns':
        return listNounChoices();
      case 'kinds':
        return await this.#completeReference(typed);
      case 'topics':
        return this.#listTopics();
      case 'settings':
        return defaultKeys.map((key): Choice => [key, describeKey(key)]);
      case 'setting':
        return withoutDocs(listKeyValues(this.#line.words[0] ?? ''));
      case 'files':
        return [];
      default:
        return await this.#listFromModel(of, typed);
    }
  }

  async #listFromModel(of: ModelKind, typed: string): Promise<readonly Choice[]> {
    const { listModelChoices } = await import('./model-choices.ts');
    const found = listModelChoices(of, this.#getSubject(), typed);
    if ('choices' in found) return found.choices;
    const { start, noun, isQuoted } = found;
    const names = await this.#readNames({ noun });
    const text = (name: string) => (isQuoted && /[^\w.@*-]/.test(name) ? `"${name}"` : name);
    return names.map((name): Choice => [`${start}${text(name)}`, '']);
  }

  /** Noun and verb of the completed value. */
  #getSubject(): { readonly noun: string; readonly verb: string } {
    const { noun = '', command, words } = this.#line;
    const [first = ''] = words;
    const at = first.indexOf('/');
    const kind = at > 0 ? findNoun(first.slice(0, at)) : findNoun(first);
    const isAbout = ['wait', 'watch', 'search-help'].includes(noun);
    if (isAbout && kind) return { noun: kind.name, verb: noun === 'wait' ? 'wait' : 'list' };
    return { noun, verb: command?.names[0] ?? '' };
  }

  /** Help topics and nouns; after a noun, its verbs. */
  #listTopics(): readonly Choice[] {
    const [word] = this.#line.words;
    const noun = word === undefined ? undefined : findNoun(word);
    if (noun) return readCommands(noun.name).map(({ names, doc }) => [names[0] ?? '', doc]);
    return [...withoutDocs(topicNames), ...listNounChoices()];
  }

  /** Completes `vms/web01`: first the kind, then the name. */
  async #completeReference(typed: string): Promise<readonly Choice[]> {
    const at = typed.indexOf('/');
    if (at < 0) {
      return nouns.filter(({ api }) => api).map(({ name, doc }): Choice => [`${name}/`, doc]);
    }
    const kind = findNoun(typed.slice(0, at));
    if (!kind) return [];
    const { owner } = this.#line;
    const place = { noun: kind.name, ...(owner ? { parents: [owner] } : {}) };
    const start = typed.slice(0, at + 1);
    return (await this.#readNames(place)).map((name): Choice => [`${start}${name}`, '']);
  }

  async #listObjects(place: NameCollection, typed: string): Promise<readonly string[]> {
    const names = await this.#readNames(place);
    const at = typed.indexOf('/');
    const kind = at > 0 ? findNoun(typed.slice(0, at)) : undefined;
    if (kind?.name === place.noun) return names.map((name) => `${typed.slice(0, at + 1)}${name}`);
    return names.map((name) => formatArgument(name, place.noun, this.#line.isPlain));
  }

  /** Returns cached names, refreshed if they are outdated. */
  async #readNames(place: NameCollection): Promise<readonly string[]> {
    // Cached names belong to real servers.
    if (this.#line.isSandboxed) return [];
    const known = readCachedNames(this.#configured, place);
    if (known.isFresh) return known.names;
    const { refreshNames } = await import('./refresh.ts');
    return await refreshNames(this.#configured, place, known, this.#io.env, this.#line.connection);
  }
}

/**
 * Formats a name as an argument. A name that looks like a flag, or starts with another kind, gets
 * its kind as a prefix.
 */
function formatArgument(name: string, noun: string, isPlain: boolean): string {
  const at = name.indexOf('/');
  const isOther = at > 0 && findNoun(name.slice(0, at))?.api === true;
  return (name.startsWith('-') && !isPlain) || name === '-' || isOther ? `${noun}/${name}` : name;
}

function findSettingByKey(key: string) {
  const name = settingNames.find((one) => settings[one].key === key);
  return name && settings[name];
}

function describeKey(key: string): string {
  return findSettingByKey(key)?.doc ?? '';
}

function listKeyValues(key: string): readonly string[] {
  const setting = findSettingByKey(key);
  return setting?.values ?? (setting?.isSwitch ? ['true', 'false'] : []);
}
