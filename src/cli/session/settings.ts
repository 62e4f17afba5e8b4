/**
 * Every setting of the command line: one table for flag, environment variable, key of the
 * configuration, help and redaction. Precedence: flag, environment, context, defaults, built in.
 */
import { UsageError } from '../../client/errors.ts';
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
  /** Flags as commander writes them; absent where a flag would be a leak. */
  readonly flags?: string;
  readonly env?: string;
  /** Key in a context and in the defaults of the configuration. */
  readonly key?: string;
  /** What it may be, where that is one of a few words. */
  readonly values?: readonly string[];
  /** A switch instead of a text. */
  readonly isSwitch?: boolean;
  /** Never printed, logged or stored. */
  readonly secret?: boolean;
  readonly doc: string;
}

const table = {
  context: {
    flags: '-c, --context <name>',
    env: 'VMCTL_CONTEXT',
    doc: 'Use this remembered server instead of the current one.',
  },
  url: {
    flags: '--url <url>',
    env: 'VMCTL_URL',
    key: 'url',
    doc: 'Address of the server: https://host[:port][/path].',
  },
  username: {
    flags: '--username <user@domain>',
    env: 'VMCTL_USERNAME',
    key: 'username',
    doc: 'Who signs in.',
  },
  password: { env: 'VMCTL_PASSWORD', secret: true, doc: 'The password (never a flag).' },
  passwordFile: {
    flags: '--password-file <file>',
    env: 'VMCTL_PASSWORD_FILE',
    doc: 'Read the password from the first line of a file.',
  },
  passphrase: {
    env: 'VMCTL_PASSPHRASE',
    secret: true,
    doc: 'Opens the password that login --store file keeps.',
  },
  token: {
    env: 'VMCTL_TOKEN',
    secret: true,
    doc: 'Use this access token; nothing is signed in.',
  },
  caFile: {
    flags: '--ca-file <file>',
    env: 'VMCTL_CA_FILE',
    doc: 'Trust the certificate authorities in this PEM file.',
  },
  insecure: {
    flags: '--insecure',
    env: 'VMCTL_INSECURE',
    isSwitch: true,
    doc: 'Do not verify the server (warns every time, is never stored).',
  },
  output: {
    flags: '-o, --output <format>',
    env: 'VMCTL_OUTPUT',
    key: 'output',
    values: formats,
    doc: 'table, wide, json, jsonl, yaml, csv, tsv, name, id, xml or raw.',
  },
  columns: {
    flags: '--columns <a,b.c>',
    doc: 'Columns of tables, csv and tsv, members of json, jsonl and yaml: attribute paths.',
  },
  sort: { flags: '--sort <path>', doc: 'Sort by an attribute; - in front: descending.' },
  query: {
    flags: '--query <expression>',
    doc: 'Print what a JMESPath expression makes of the result.',
  },
  utc: { flags: '--utc', isSwitch: true, doc: 'Every time in UTC and in full.' },
  csvSafe: {
    flags: '--csv-safe',
    env: 'VMCTL_CSV_SAFE',
    key: 'csvSafe',
    isSwitch: true,
    doc: 'In csv and tsv no cell is a formula: an apostrophe goes before = + - @.',
  },
  noHeaders: { flags: '--no-headers', isSwitch: true, doc: 'Leave the header line out.' },
  quiet: {
    flags: '-q, --quiet',
    isSwitch: true,
    doc: 'No progress; after a change only the ids on stdout.',
  },
  dryRun: {
    flags: '--dry-run',
    isSwitch: true,
    doc: 'Show what would be sent; send nothing that changes something.',
  },
  curl: {
    flags: '--curl',
    isSwitch: true,
    doc: 'Show the request as a curl command instead of sending it.',
  },
  debug: {
    flags: '--debug [what]',
    env: 'VMCTL_DEBUG',
    doc: 'Show each request on stderr, secrets left out; --debug=http,body: bodies as well.',
  },
  debugFile: {
    flags: '--debug-file <file>',
    doc: 'Write that to a file instead, which only you can read.',
  },
  record: {
    flags: '--record <file>',
    env: 'VMCTL_RECORD',
    doc: 'Add each request with its answer to a file, secrets left out: for serve --replay.',
  },
  sandbox: {
    flags: '--sandbox',
    isSwitch: true,
    doc: 'Run against a server that is there for this command alone, and nothing else.',
  },
  verbose: {
    flags: '-v, --verbose',
    env: 'VMCTL_VERBOSE',
    isSwitch: true,
    doc: 'Say each step on stderr: the server, and what is asked of it.',
  },
  apiVersion: {
    flags: '--api-version <n>',
    env: 'VMCTL_API_VERSION',
    key: 'apiVersion',
    doc: 'Ask for this major version of the API (4).',
  },
  timing: { flags: '--timing', isSwitch: true, doc: 'Show on stderr what took how long.' },
  timeout: {
    flags: '--timeout <duration>',
    env: 'VMCTL_TIMEOUT',
    key: 'timeout',
    doc: 'Time limit of the whole command: 90s, 10m.',
  },
  idleTimeout: {
    flags: '--idle-timeout <duration>',
    env: 'VMCTL_IDLE_TIMEOUT',
    key: 'idleTimeout',
    doc: 'Give an answer up that makes no progress for so long (60s).',
  },
  retries: {
    flags: '--retries <n>',
    key: 'retries',
    doc: 'How often a reading request is repeated when the server is busy (2).',
  },
  yes: { flags: '-y, --yes', isSwitch: true, doc: 'Answer questions with yes.' },
  noInput: {
    flags: '--no-input',
    env: 'VMCTL_NO_INPUT',
    isSwitch: true,
    doc: 'Never ask, fail instead.',
  },
  confirm: {
    flags: '--confirm <context>',
    env: 'VMCTL_CONFIRM',
    doc: 'Name of the protected context that may be harmed.',
  },
  readOnly: {
    env: 'VMCTL_READ_ONLY',
    isSwitch: true,
    doc: 'Refuse everything that could change something.',
  },
  color: {
    flags: '--color <when>',
    key: 'color',
    values: ['always', 'never', 'auto'],
    doc: 'always, never or auto (NO_COLOR and FORCE_COLOR are understood).',
  },
  noColor: { flags: '--no-color', isSwitch: true, doc: 'The same as --color never.' },
  pager: {
    flags: '--pager',
    env: 'VMCTL_PAGER',
    doc: 'Show lists and objects in a pager, on a terminal (VMCTL_PAGER, PAGER or less).',
  },
  history: {
    env: 'VMCTL_HISTORY',
    key: 'history',
    values: ['on', 'off'],
    doc: 'off: do not write down what is changed, for vmctl history and vmctl undo.',
  },
  configDir: { env: 'VMCTL_CONFIG_DIR', doc: 'Directory of config.json.' },
} satisfies Readonly<Record<string, Setting>>;

/** What can be preferred for the objects of one noun: `vms.columns`, a key of the configuration. */
export const nounKeys = ['columns', 'output'] as const;

export type NounKey = (typeof nounKeys)[number];

export type SettingName = keyof typeof table;

export const settings: Readonly<Record<SettingName, Setting>> = table;

export const settingNames = Object.keys(table) as readonly SettingName[];

/** Settings that belong to a server, not to the person who uses it. */
const ofTheServer: ReadonlySet<string> = new Set(['url', 'username']);

/** Keys of the defaults that a person may set for all servers. */
export const defaultKeys: readonly string[] = settingNames
  .flatMap((name) => settings[name].key ?? [])
  .filter((key) => !ofTheServer.has(key));

/** The long flag of a setting, as it is typed. */
export function longFlag(setting: Setting): string | undefined {
  return setting.flags?.match(/--[\w-]+/)?.[0];
}

/** Name under which commander keeps the value of a flag: `--no-headers` is `headers`, negated. */
function optionKey(long: string): { readonly key: string; readonly negated: boolean } {
  const negated = long.startsWith('--no-');
  const words = long.slice(negated ? 5 : 2);
  return {
    key: words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    negated,
  };
}

/** Whether the flag of a setting is among options as commander parsed them. */
export function isGiven(name: SettingName, options: Sources['options']): boolean {
  const long = longFlag(settings[name]);
  return long !== undefined && options[optionKey(long).key] !== undefined;
}

export type Origin = 'flag' | 'environment' | 'context' | 'defaults';

export interface Found {
  readonly value: string;
  readonly origin: Origin;
}

/** Where values may come from, best first. */
export interface Sources {
  /** Options as commander parsed them. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** The value of a setting, and where it was found; switches are the text `true`. */
export function find(name: SettingName, from: Sources): Found | undefined {
  const setting = settings[name];
  const long = longFlag(setting);
  if (long) {
    const { key, negated } = optionKey(long);
    const given = from.options[key];
    if (negated ? given === false : given !== undefined && given !== false) {
      return { value: negated ? 'true' : String(given), origin: 'flag' };
    }
  }
  const inherited = setting.env === undefined ? undefined : from.env[setting.env];
  if (inherited !== undefined && inherited !== '') {
    if (!setting.isSwitch) return { value: inherited, origin: 'environment' };
    if (switchOf(setting.env ?? name, inherited)) return { value: 'true', origin: 'environment' };
  }
  if (setting.key) {
    const remembered = from.context?.[setting.key];
    if (remembered !== undefined) return { value: String(remembered), origin: 'context' };
    const defaultValue = from.defaults?.[setting.key];
    if (defaultValue !== undefined) return { value: String(defaultValue), origin: 'defaults' };
  }
  return undefined;
}

function switchOf(name: string, text: string): boolean {
  if (/^(1|true|yes|on)$/i.test(text)) return true;
  if (/^(0|false|no|off)$/i.test(text)) return false;
  throw new UsageError(`${name}=${text} is neither true nor false`, {
    hint: `set ${name}=1, or leave it out`,
  });
}
