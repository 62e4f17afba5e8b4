/**
 * Settings of the command line: flag, environment variable, configuration key, help and redaction.
 * Precedence: flag, environment, context, defaults, built-in value.
 */
import { UsageError } from '../../client/errors.ts';
import { featureSettings } from './feature-settings.generated.ts';
import type { Environment } from './io.ts';

export const formats = [
  'table',
  'wide',
  'json',
  'jsonl',
  'yaml',
  'csv',
  'tsv',
  'name',
  'id',
  'xml',
  'raw',
] as const;

export type Format = (typeof formats)[number];

export interface Setting {
  /** Flags in the notation of commander; absent if a flag would expose a secret. */
  readonly flags?: string;
  readonly env?: string;
  /** Key in contexts and in the defaults of the configuration. */
  readonly key?: string;
  /** Allowed values, if limited. */
  readonly values?: readonly string[];
  /** Whether the setting is a switch without a value. */
  readonly isSwitch?: boolean;
  /**
   * Whether the value names a file for recorded requests. Commands without requests, and servers,
   * refuse it.
   */
  readonly requestFile?: boolean;
  /** Never printed, logged or stored. */
  readonly secret?: boolean;
  readonly doc: string;
}

const coreSettings = {
  context: {
    flags: '-c, --context <name>',
    env: 'VMCTL_CONTEXT',
    doc: 'Context to use; a,b or all for commands that read.',
  },
  url: {
    flags: '--url <url>',
    env: 'VMCTL_URL',
    key: 'url',
    doc: 'Address of the service: https://host[:port][/path].',
  },
  username: {
    flags: '--username <user@domain>',
    env: 'VMCTL_USERNAME',
    key: 'username',
    doc: 'User name.',
  },
  password: { env: 'VMCTL_PASSWORD', secret: true, doc: 'Password (not available as a flag).' },
  passwordFile: {
    flags: '--password-file <file>',
    env: 'VMCTL_PASSWORD_FILE',
    doc: 'File with the password in its first line.',
  },
  passphrase: {
    env: 'VMCTL_PASSPHRASE',
    secret: true,
    doc: 'Passphrase of the password file of login --store file.',
  },
  token: {
    env: 'VMCTL_TOKEN',
    secret: true,
    doc: 'Access token, used instead of a password.',
  },
  clientSecret: {
    env: 'VMCTL_CLIENT_SECRET',
    secret: true,
    doc: 'Secret of the registered client of login --web.',
  },
  caFile: {
    flags: '--ca-file <file>',
    env: 'VMCTL_CA_FILE',
    doc: 'PEM file with trusted certificate authorities.',
  },
  insecure: {
    flags: '--insecure',
    env: 'VMCTL_INSECURE',
    isSwitch: true,
    doc: 'Skip the verification of the server certificate; not saved in the context.',
  },
  output: {
    flags: '-o, --output <format>',
    env: 'VMCTL_OUTPUT',
    key: 'output',
    values: formats,
    doc: 'Output format: table, wide, json, jsonl, yaml, csv, tsv, name, id, xml or raw.',
  },
  columns: {
    flags: '--columns <a,b.c>',
    doc: 'Attribute paths to show; +PATH and -PATH change the default columns.',
  },
  sort: {
    flags: '--sort <a,-b.c>',
    doc: 'Attribute paths to sort by; a leading - reverses the order.',
  },
  query: {
    flags: '--query <expression>',
    doc: 'JMESPath expression over the JSON result.',
  },
  fullTime: { flags: '--full-time', isSwitch: true, doc: 'Exact times in tables, without ages.' },
  utc: { flags: '--utc', isSwitch: true, doc: 'Times in UTC, in full length.' },
  csvSafe: {
    flags: '--csv-safe',
    env: 'VMCTL_CSV_SAFE',
    key: 'csvSafe',
    isSwitch: true,
    doc: 'A leading apostrophe in csv and tsv cells that begin with = + - @.',
  },
  noHeaders: { flags: '--no-headers', isSwitch: true, doc: 'Omit the header line.' },
  quiet: {
    flags: '-q, --quiet',
    isSwitch: true,
    doc: 'No progress; only ids of changed objects on stdout.',
  },
  dryRun: {
    flags: '--dry-run',
    isSwitch: true,
    doc: 'Show the requests that would change something, without sending them.',
  },
  curl: {
    flags: '--curl',
    isSwitch: true,
    doc: 'Show requests as curl commands instead of sending them.',
  },
  debug: {
    flags: '--debug [what]',
    env: 'VMCTL_DEBUG',
    doc: 'Requests on stderr without secrets; --debug=http,body adds headers and bodies.',
  },
  debugFile: {
    flags: '--debug-file <file>',
    doc: 'Private file for the output of --debug.',
  },
  sandbox: {
    flags: '--sandbox',
    isSwitch: true,
    doc: 'Run against a temporary server.',
  },
  verbose: {
    flags: '-v, --verbose',
    env: 'VMCTL_VERBOSE',
    isSwitch: true,
    doc: 'Steps on stderr: server and requests.',
  },
  apiVersion: {
    flags: '--api-version <n>',
    env: 'VMCTL_API_VERSION',
    key: 'apiVersion',
    doc: 'Major version of the API (default 4).',
  },
  timing: { flags: '--timing', isSwitch: true, doc: 'Durations on stderr.' },
  timeout: {
    flags: '--timeout <duration>',
    env: 'VMCTL_TIMEOUT',
    key: 'timeout',
    doc: 'Time limit of the command, for example 90s or 10m.',
  },
  idleTimeout: {
    flags: '--idle-timeout <duration>',
    env: 'VMCTL_IDLE_TIMEOUT',
    key: 'idleTimeout',
    doc: 'Time limit without progress of a response (default 60s).',
  },
  retries: {
    flags: '--retries <n>',
    key: 'retries',
    doc: 'Number of retries of a read request if the server is busy (default 2).',
  },
  yes: { flags: '-y, --yes', isSwitch: true, doc: 'Confirm all questions.' },
  noInput: {
    flags: '--no-input',
    env: 'VMCTL_NO_INPUT',
    isSwitch: true,
    doc: 'Disable prompts; fail if one is necessary.',
  },
  confirm: {
    flags: '--confirm <context>',
    env: 'VMCTL_CONFIRM',
    doc: 'Name of the protected context, to confirm a harmful command.',
  },
  readOnly: {
    env: 'VMCTL_READ_ONLY',
    isSwitch: true,
    doc: 'Refuse requests that could change something.',
  },
  color: {
    flags: '--color <when>',
    key: 'color',
    values: ['always', 'never', 'auto'],
    doc: 'Color output: always, never or auto (default auto; see NO_COLOR, FORCE_COLOR).',
  },
  noColor: { flags: '--no-color', isSwitch: true, doc: 'Same as --color never.' },
  pager: {
    flags: '--pager',
    env: 'VMCTL_PAGER',
    doc: 'Pager for lists and objects on a terminal (default: PAGER or less).',
  },
  configDir: { env: 'VMCTL_CONFIG_DIR', doc: 'Directory of config.json.' },
} satisfies Readonly<Record<string, Setting>>;

const table = { ...coreSettings, ...featureSettings };

/** Preferences of a noun in the configuration: `vms.columns`. */
export const nounKeys = ['columns', 'output'] as const;

export type NounKey = (typeof nounKeys)[number];

export type SettingName = keyof typeof table;

export const settings: Readonly<Record<SettingName, Setting>> = table;

/** Names of all settings. */
// `SettingName` is the union of the keys of `table`.
export const settingNames = Object.keys(table) as readonly SettingName[];

/** Settings of one server, without a default for all servers. */
const serverKeys: ReadonlySet<string> = new Set(['url', 'username']);

/** Keys that a user can set for all servers. */
export const defaultKeys: readonly string[] = settingNames
  .flatMap((name) => settings[name].key ?? [])
  .filter((key) => !serverKeys.has(key));

/** The long flag of a setting: `--output`. */
export function longFlag(setting: Setting): string | undefined {
  return setting.flags?.match(/--[\w-]+/)?.[0];
}

/** Property of a flag in commander's options: `--no-headers` is `headers`, negated. */
function parseFlagName(long: string): { readonly key: string; readonly negated: boolean } {
  const negated = long.startsWith('--no-');
  const words = long.slice(negated ? 5 : 2);
  return {
    key: words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    negated,
  };
}

/** Settings that name a file for requests. */
export const requestFiles = settingNames.filter((name) => settings[name].requestFile);

/** Whether the flag of a setting is among options as commander parsed them. */
export function isGiven(name: SettingName, options: SettingSources['options']): boolean {
  const long = longFlag(settings[name]);
  return long !== undefined && options[parseFlagName(long).key] !== undefined;
}

export type Origin = 'flag' | 'environment' | 'context' | 'defaults';

export interface SettingValue {
  readonly value: string;
  readonly origin: Origin;
}

/** Sources of values in order of precedence. */
export interface SettingSources {
  /** Options as commander parsed them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/**
 * Value of a setting and its origin. The value of a switch is `true`. Throws `UsageError` for a
 * switch variable with another value.
 */
export function findSetting(name: SettingName, from: SettingSources): SettingValue | undefined {
  const setting = settings[name];
  const long = longFlag(setting);
  if (long) {
    const { key, negated } = parseFlagName(long);
    const given = from.options[key];
    if (negated ? given === false : given !== undefined && given !== false) {
      return { value: negated ? 'true' : String(given), origin: 'flag' };
    }
  }
  const inherited = setting.env === undefined ? undefined : from.env[setting.env];
  if (inherited !== undefined && inherited !== '') {
    if (!setting.isSwitch) return { value: inherited, origin: 'environment' };
    if (parseSwitch(setting.env ?? name, inherited))
      return { value: 'true', origin: 'environment' };
  }
  if (setting.key) {
    for (const origin of ['context', 'defaults'] as const) {
      const stored = from[origin]?.[setting.key];
      if (stored === undefined) continue;
      const value = String(stored);
      return setting.isSwitch && !parseSwitch(setting.key, value) ? undefined : { value, origin };
    }
  }
  return undefined;
}

/** Parses the value of a switch in a variable or in the configuration. */
function parseSwitch(name: string, text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new UsageError(`${name}=${text}: neither true nor false`, {
    hint: `set ${name}=1, or unset it`,
  });
}
