/** Effective settings by precedence: flags, environment, context, defaults. */

import { UsageError } from '../../client/errors.ts';
import {
  allContexts,
  type Configuration,
  type Context,
  findContext,
  getContext,
  loadConfiguration,
} from './config-file.ts';
import { type FolderFile, findFolderFile } from './folder-context.ts';
import type { Environment } from './io.ts';
import {
  findSetting,
  type NounKey,
  type SettingName,
  type SettingValue,
  settings,
} from './settings.ts';
import { resolveXdgPaths, type XdgPaths } from './xdg-paths.ts';

/** Name of the selected context, and what selects it. */
export interface ContextChoice {
  readonly name: string;
  /** Flag, variable, path of a `.vmctl.yaml`, or `configuration`. */
  readonly source: string;
  /** Position of the name in a file. */
  readonly position?: string;
}

export class EffectiveSettings {
  readonly #env: Environment;
  #options: Readonly<Record<string, unknown>> = {};
  #noun: string | undefined;
  #paths: XdgPaths | undefined;
  #configuration: Configuration | undefined;
  /** `false` before the search. */
  #folderFile: FolderFile | undefined | false = false;

  constructor(env: Environment) {
    this.#env = env;
  }

  useOptions(options: Readonly<Record<string, unknown>>): void {
    this.#options = options;
  }

  /** Sets the noun of the command, which may have preferences. */
  useNoun(noun: string): void {
    this.#noun = noun;
  }

  get paths(): XdgPaths {
    this.#paths ??= resolveXdgPaths(this.#env);
    return this.#paths;
  }

  get configuration(): Configuration {
    this.#configuration ??= loadConfiguration(this.paths.configFile);
    return this.#configuration;
  }

  /** The selected context, or the current one. */
  context(): Context | undefined {
    const choice = this.findContextChoice();
    return choice && getContext(this.configuration, choice.name, choice.position);
  }

  contextName(): string | undefined {
    return this.findContextChoice()?.name;
  }

  /** Name and source of the selected context; undefined without one. */
  findContextChoice(): ContextChoice | undefined {
    const direct = this.findDirect('context');
    if (direct) {
      const source = direct.origin === 'flag' ? '--context' : 'VMCTL_CONTEXT';
      return { name: direct.value, source };
    }
    const { path = '', decision } = this.folderFile ?? {};
    if (decision && 'context' in decision) {
      return { name: decision.context, source: path, position: decision.position };
    }
    const { current } = this.configuration;
    return current === undefined ? undefined : { name: current, source: 'configuration' };
  }

  /**
   * Names of the contexts of `--context a,b` or `--context all`; undefined for other values. A
   * context with exactly this name takes precedence. Throws `NotFoundError` for unknown names.
   */
  listSeveralContexts(): readonly string[] | undefined {
    const given = this.findDirect('context')?.value;
    if (given === undefined || !(given === allContexts || given.includes(','))) return undefined;
    const { contexts } = this.configuration;
    if (Object.hasOwn(contexts, given)) return undefined;
    if (given === allContexts) return Object.keys(contexts);
    const names = [...new Set(given.split(',').map((name) => name.trim()))];
    if (names.includes('')) {
      throw new UsageError(`--context ${given}: a name is empty`, { hint: 'use --context a,b' });
    }
    for (const name of names) getContext(this.configuration, name);
    return names;
  }

  /** Nearest `.vmctl.yaml`; undefined if flags or variables select the server. */
  get folderFile(): FolderFile | undefined {
    if (this.findDirect('context') ?? this.findDirect('url')) return undefined;
    if (this.#folderFile === false) {
      this.#folderFile = findFolderFile(this.paths.stateDirectory, this.#env);
    }
    return this.#folderFile;
  }

  /** Reads the file and its decision again on the next use. */
  forgetFolderFile(): void {
    this.#folderFile = false;
  }

  /** Value of a flag or an environment variable, without the configuration. */
  protected findDirect(name: SettingName): SettingValue | undefined {
    return findSetting(name, { options: this.#options, env: this.#env });
  }

  /** Effective value of a setting, with its origin. */
  setting(name: SettingName): SettingValue | undefined {
    const direct = this.findDirect(name);
    if (direct || settings[name].key === undefined) return direct;
    const from = this.#configured;
    const preferred =
      name === 'output' && this.#noun !== undefined
        ? this.findPreference(this.#noun, 'output')
        : undefined;
    const configured = findSetting(name, { options: {}, env: {}, ...from });
    return preferred?.origin === 'defaults' && configured?.origin === 'context'
      ? configured
      : (preferred ?? configured);
  }

  /** Preference for the objects of a noun, from the context or from the defaults. */
  findPreference(noun: string, key: NounKey): SettingValue | undefined {
    const { context, defaults } = this.#configured;
    const name = `${noun}.${key}`;
    if (context?.[name] !== undefined) return { value: String(context[name]), origin: 'context' };
    if (defaults[name] === undefined) return undefined;
    return { value: String(defaults[name]), origin: 'defaults' };
  }

  /** Values of the configuration: the selected context and the defaults. */
  get #configured(): {
    readonly context?: Readonly<Record<string, unknown>>;
    readonly defaults: Readonly<Record<string, unknown>>;
  } {
    const { defaults } = this.configuration;
    const named = this.contextName();
    const context = named === undefined ? undefined : findContext(this.configuration, named);
    return { defaults, ...(context ? { context: { ...context, ...context.preferences } } : {}) };
  }

  /** Whether the command only prints its requests. It then sends no change and writes no file. */
  get isDryRun(): boolean {
    return this.isOn('dryRun');
  }

  /** Whether a switch is on. */
  isOn(name: SettingName): boolean {
    return this.setting(name) !== undefined;
  }
}
