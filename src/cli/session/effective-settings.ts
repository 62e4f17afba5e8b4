/** Effective settings: flags before environment, contexts and defaults. */

import {
  type Configuration,
  type Context,
  contextNamed,
  loadConfiguration,
} from './config-file.ts';
import type { Environment } from './io.ts';
import { type Found, find, type NounKey, type SettingName, settings } from './settings.ts';
import { type XdgPaths, xdgPaths } from './xdg-paths.ts';

export class EffectiveSettings {
  readonly #env: Environment;
  #options: Readonly<Record<string, unknown>> = {};
  #noun: string | undefined;
  #paths: XdgPaths | undefined;
  #configuration: Configuration | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Takes over the values of flags. */
  useOptions(options: Readonly<Record<string, unknown>>): void {
    this.#options = options;
  }

  /** Tells what the command is about: something may be preferred for it. */
  useNoun(noun: string): void {
    this.#noun = noun;
  }

  get paths(): XdgPaths {
    this.#paths ??= xdgPaths(this.#env);
    return this.#paths;
  }

  get configuration(): Configuration {
    this.#configuration ??= loadConfiguration(this.paths.configFile);
    return this.#configuration;
  }

  /** The remembered server that is named, or the current one. */
  context(): Context | undefined {
    const named = this.contextName();
    return named === undefined ? undefined : contextNamed(this.configuration, named);
  }

  contextName(): string | undefined {
    return this.direct('context')?.value ?? this.configuration.current;
  }

  /** What is given for this command alone, by a flag or in the environment. */
  protected direct(name: SettingName): Found | undefined {
    return find(name, { options: this.#options, env: this.#env });
  }

  /** A setting with its origin, from wherever it is given. */
  setting(name: SettingName): Found | undefined {
    const direct = this.direct(name);
    if (direct || settings[name].key === undefined) return direct;
    const from = this.#remembered;
    const preferred =
      name === 'output' && this.#noun !== undefined
        ? this.preference(this.#noun, 'output')
        : undefined;
    const usual = find(name, { options: {}, env: {}, ...from });
    return preferred?.origin === 'defaults' && usual?.origin === 'context'
      ? usual
      : (preferred ?? usual);
  }

  /** What is preferred for the objects of a noun: by the context, or for all servers. */
  preference(noun: string, key: NounKey): Found | undefined {
    const { context, defaults } = this.#remembered;
    const name = `${noun}.${key}`;
    if (context?.[name] !== undefined) return { value: String(context[name]), origin: 'context' };
    if (defaults[name] === undefined) return undefined;
    return { value: String(defaults[name]), origin: 'defaults' };
  }

  /** What the configuration says: for the context that is used, and for all. */
  get #remembered(): {
    readonly context?: Readonly<Record<string, unknown>>;
    readonly defaults: Readonly<Record<string, unknown>>;
  } {
    const { contexts, defaults } = this.configuration;
    const named = this.contextName();
    const context = named === undefined ? undefined : contexts[named];
    return { defaults, ...(context ? { context: { ...context, ...context.preferences } } : {}) };
  }

  /** Whether the command only shows its requests: it sends no change, and writes no file. */
  get isDryRun(): boolean {
    return this.on('dryRun');
  }

  /** Whether a switch is on. */
  on(name: SettingName): boolean {
    return this.setting(name) !== undefined;
  }
}
