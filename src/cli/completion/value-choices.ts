/** What the value of a flag, or an argument, may be: words, names of objects, what the model tells. */
import { nounOf, nouns } from '../args/catalog.ts';
import { topicNames } from '../help/topic-names.ts';
import type { EffectiveSettings } from '../session/effective-settings.ts';
import type { Io } from '../session/io.ts';
import { knownNames, type NamePlace } from '../session/name-cache.ts';
import { defaultKeys, settingNames, settings } from '../session/settings.ts';
import { type Choice, nounChoices, type Offer } from './choice.ts';
import type { CommandLine } from './command-line.ts';
import { commandsOf, type ModelKind, type ValueChoice } from './table.ts';

const bare = (words: readonly string[]) => words.map((word): Choice => [word, '']);

export class ValueChoices {
  readonly #io: Io;
  readonly #configured: EffectiveSettings;
  readonly #line: CommandLine;

  constructor(io: Io, configured: EffectiveSettings, line: CommandLine) {
    this.#io = io;
    this.#configured = configured;
    this.#line = line;
  }

  /** The choices; they need not begin with what is typed. */
  async of(choice: ValueChoice, typed: string): Promise<Offer> {
    if (choice.values) return { choices: bare(choice.values) };
    if (choice.noun !== undefined) {
      const place = this.#line.placeOf(choice);
      return { choices: place ? bare(await this.#objects(place, typed)) : [] };
    }
    if (choice.of === 'files') return { choices: [], files: true };
    return { choices: choice.of === undefined ? [] : await this.#choicesOf(choice.of, typed) };
  }

  async #choicesOf(of: NonNullable<ValueChoice['of']>, typed: string): Promise<readonly Choice[]> {
    switch (of) {
      case 'contexts':
        return bare(Object.keys(this.#configured.configuration.contexts));
      case 'nouns':
        return nounChoices();
      case 'kinds':
        return await this.#withKinds(typed);
      case 'topics':
        return this.#topics();
      case 'settings':
        return defaultKeys.map((key): Choice => [key, docOfKey(key)]);
      case 'setting':
        return bare(valuesOfKey(this.#line.words[0] ?? ''));
      case 'files':
        return [];
      default:
        return await this.#fromModel(of, typed);
    }
  }

  async #fromModel(of: ModelKind, typed: string): Promise<readonly Choice[]> {
    const { modelChoices } = await import('./model-choices.ts');
    const found = modelChoices(of, this.#subject(), typed);
    if ('choices' in found) return found.choices;
    const { start, noun, isQuoted } = found;
    const names = await this.#names({ noun });
    const text = (name: string) => (isQuoted && /[^\w.@*-]/.test(name) ? `"${name}"` : name);
    return names.map((name): Choice => [`${start}${text(name)}`, '']);
  }

  /** Noun and verb that the choice is about. */
  #subject(): { readonly noun: string; readonly verb: string } {
    const { noun = '', command, words } = this.#line;
    const [first = ''] = words;
    const at = first.indexOf('/');
    const kind = at > 0 ? nounOf(first.slice(0, at)) : nounOf(first);
    const isAbout = ['wait', 'watch', 'search-help'].includes(noun);
    if (isAbout && kind) return { noun: kind.name, verb: noun === 'wait' ? 'wait' : 'list' };
    return { noun, verb: command?.names[0] ?? '' };
  }

  /** Help topics and nouns; behind a noun its verbs. */
  #topics(): readonly Choice[] {
    const [word] = this.#line.words;
    const noun = word === undefined ? undefined : nounOf(word);
    if (noun) return commandsOf(noun.name).map(({ names, doc }) => [names[0] ?? '', doc]);
    return [...bare(topicNames), ...nounChoices()];
  }

  /** `vms/web01`: first the kinds, then what is known of one. */
  async #withKinds(typed: string): Promise<readonly Choice[]> {
    const at = typed.indexOf('/');
    if (at < 0) {
      return nouns.filter(({ api }) => api).map(({ name, doc }): Choice => [`${name}/`, doc]);
    }
    const kind = nounOf(typed.slice(0, at));
    if (!kind) return [];
    const { owner } = this.#line;
    const place = { noun: kind.name, ...(owner ? { parents: [owner] } : {}) };
    const start = typed.slice(0, at + 1);
    return (await this.#names(place)).map((name): Choice => [`${start}${name}`, '']);
  }

  async #objects(place: NamePlace, typed: string): Promise<readonly string[]> {
    const names = await this.#names(place);
    const at = typed.indexOf('/');
    const kind = at > 0 ? nounOf(typed.slice(0, at)) : undefined;
    if (kind?.name === place.noun) return names.map((name) => `${typed.slice(0, at + 1)}${name}`);
    return names.map((name) => reference(name, place.noun, this.#line.isPlain));
  }

  /** Names that are known; with what the server tells meanwhile, where they are old. */
  async #names(place: NamePlace): Promise<readonly string[]> {
    // What is known are names of real servers.
    if (this.#line.isSandboxed) return [];
    const known = knownNames(this.#configured, place);
    if (known.isFresh) return known.names;
    const { refreshNames } = await import('./refresh.ts');
    return await refreshNames(this.#configured, place, known, this.#io.env, this.#line.connection);
  }
}

/** A name as commands take it: one that looks like a flag, or has the kind of others in front, with its kind. */
function reference(name: string, noun: string, isPlain: boolean): string {
  const at = name.indexOf('/');
  const isOther = at > 0 && nounOf(name.slice(0, at))?.api === true;
  return (name.startsWith('-') && !isPlain) || name === '-' || isOther ? `${noun}/${name}` : name;
}

function settingOfKey(key: string) {
  const name = settingNames.find((one) => settings[one].key === key);
  return name && settings[name];
}

function docOfKey(key: string): string {
  return settingOfKey(key)?.doc ?? '';
}

function valuesOfKey(key: string): readonly string[] {
  const setting = settingOfKey(key);
  return setting?.values ?? (setting?.isSwitch ? ['true', 'false'] : []);
}
