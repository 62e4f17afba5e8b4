/** Effective settings: flags before environment, contexts and defaults. */

import {
  type Configuration,
  type Context,
  contextNamed,
  loadConfiguration,
} from './config-file.ts';
import type { Environment } from './io.ts';
import { type Found, find, type SettingName, settings } from './settings.ts';
import { type XdgPaths, xdgPaths } from './xdg-paths.ts';

export class EffectiveSettings {
  readonly #env: Environment;
  #options: Readonly<Record<string, unknown>> = {};
  #paths: XdgPaths | undefined;
  #configuration: Configuration | undefined;

  constructor(env: Environment) {
    this.#env = env;
  }

  /** Takes over the values of flags. */
  useOptions(options: Readonly<Record<string, unknown>>): void {
    this.#options = options;
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
    const named = this.contextName();
    const context = named === undefined ? undefined : this.configuration.contexts[named];
    return find(name, {
      options: {},
      env: {},
      ...(context ? { context: { ...context } } : {}),
      defaults: this.configuration.defaults,
    });
  }

  /** Whether a switch is on. */
  on(name: SettingName): boolean {
    return this.setting(name) !== undefined;
  }
}
