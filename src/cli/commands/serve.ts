/** `vmctl serve`: the reference server, until a stop signal or for one command. */
import { InvalidArgumentError } from 'commander';
import { defineCommand, defineNoun, type NounModule } from '../args/command.ts';
import {
  defineArgument,
  defineFlag,
  type FlagSpec,
  parseFlagNotation,
  toCamelCase,
} from '../args/parameters.ts';
import { apiAddress, imagesAddress } from './serve/default-addresses.ts';
import type { ServeExtension } from './serve/extension.ts';

const repeatable = { repeatable: true, default: [] } as const;

function parseNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('It must be a number that is not negative.');
  }
  return value;
}

const addressFlags = [
  defineFlag(
    '--listen <host:port>',
    `address of the API (default ${apiAddress}); port 0 selects a free port`,
  ),
  defineFlag(
    '--images-listen <host:port>',
    `address of the image daemon (default ${imagesAddress}); port 0 selects a free port`,
  ),
  defineFlag('--images-control-socket <path>', 'unix socket for tickets of the image daemon', {
    type: 'file',
  }),
] as const;

const dataFlags = [
  defineFlag('--data <dir>', 'data folder (default: in the XDG state folder)'),
  defineFlag('--memory', 'in memory only, without a data folder'),
  defineFlag('--store <address>', 'database of the state: sqlite:DIR'),
  defineFlag('--images <dir>', 'folder for disk contents (default: in the data folder)'),
  defineFlag(
    '--host-files <dir>',
    'folder for files on hosts, such as exported VMs (default: in the data folder)',
  ),
  defineFlag(
    '--shared-storage <dir>',
    'folder for storage that several servers share; storage domains move between them',
  ),
  defineFlag(
    '--new-site',
    'move the contents of the data folder aside and start with an empty site',
  ),
  defineFlag('--adopt-images', 'use a database and images that do not belong together'),
  defineFlag('--accept-loss', 'open a database that lacks acknowledged changes'),
] as const;

const protocolFlags = [
  defineFlag('--dialect <name>', 'URL paths and JSON format of the API (default standard)', {
    choices: ['standard', 'ovirt'],
  }),
  defineFlag('--app-root <path>', 'application root (default: that of the dialect)'),
  defineFlag('--scope <scope>', 'OAuth scope (default: that of the dialect)'),
  defineFlag('--admin <user@domain>', 'administrator (default admin@internal)'),
  defineFlag('--password-file <file>', 'file with the password of the administrator'),
  defineFlag('--tls-cert <file>', 'certificate chain, PEM (default: self-signed)'),
  defineFlag('--tls-key <file>', 'key of the certificate, PEM'),
  defineFlag(
    '--host-name <name>',
    'additional host name for the certificate and clients (may be repeated)',
    repeatable,
  ),
  defineFlag(
    '--allow-origin <origin>',
    'origin of web pages with write access: https://console.example.com (may be repeated)',
    repeatable,
  ),
] as const;

const simulationFlags = [
  defineFlag('--inventory <what>', 'empty, small (default), hosts=10,vms=1000, or a file'),
  defineFlag('--speed <factor>', 'factor for the time of state changes (default 1); 0: immediate', {
    parse: parseNumber,
  }),
  defineFlag('--seed <number>', 'seed for reproducible ids and variation', { parse: parseNumber }),
  defineFlag('--token-lifetime <seconds>', 'lifetime of access tokens in seconds (default 28800)', {
    parse: parseNumber,
  }),
] as const;

const taskFlags = [
  defineFlag('--load <file>', 'saved state, instead of an inventory'),
  defineFlag('--save <file>', 'save the state of the server of this context, and exit'),
  defineFlag('--check', 'check the data folder, and exit'),
  defineFlag('--backup <file>', 'back up state and images to a file, and exit'),
  defineFlag('--restore <file>', 'restore a backup to the data folder, and exit'),
  defineFlag(
    '--ready-file <file>',
    'write addresses and process id to this file (JSON) when ready',
  ),
  defineFlag('--log <what>', 'log more: requests logs each request', { choices: ['requests'] }),
  defineFlag('--env', 'print commands that export VMCTL_* variables'),
  defineFlag('--detach', 'run in the background'),
  defineFlag('--stop', 'stop a background server (see --listen, --data)'),
  defineFlag('--instance <file>', 'registration file of the server in the background', {
    hidden: true,
  }),
] as const;

const flags = [
  ...addressFlags,
  ...dataFlags,
  ...protocolFlags,
  ...simulationFlags,
  ...taskFlags,
] as const;

/** Returns the flags of this command without the global flags. */
function pickOwnFlags<T extends object>(given: T, all: readonly FlagSpec[]): T {
  const names = new Set(all.map(({ notation }) => toCamelCase(parseFlagNotation(notation).long)));
  // Right because `T` has only the properties of the flags in `all`.
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as T;
}

const requests = defineCommand({
  verb: 'requests',
  purpose: 'Show requests and responses of a server, without secrets',
  summary: 'Show requests of a server',
  flags: [
    defineFlag('--follow', 'follow new requests until Ctrl-C'),
    defineFlag('--limit <n>', 'number of recent requests (default 20; with --follow 0)'),
    defineFlag('--method <word>', 'method, for example POST'),
    defineFlag('--status <status>', 'status, for example 409 or 4xx'),
    defineFlag('--path <text>', 'text in the path, for example /vms'),
    defineFlag('--count <n>', 'with --follow: number of requests to print'),
  ],
  notes:
    'Reads from the server of the context, a vmctl serve, as its administrator. The server keeps the last ' +
    '1,000 requests, with bodies up to 64 KiB; -o json and jsonl show headers and bodies as well.',
  examples: [
    'vmctl serve requests',
    'vmctl serve requests --status 4xx -o json',
    'vmctl serve requests --follow -o jsonl',
  ],
  unshowable: 'many',
  onlyReads: true,
  run: async (cli, _, given) => (await import('./serve/requests.ts')).showRequests(cli, given),
});

function getLongFlag({ notation }: FlagSpec): string {
  return parseFlagNotation(notation).long;
}

/** Declares `vmctl serve` with the extensions of features. */
export function createServeNoun(extensions: readonly ServeExtension[]): NounModule {
  const more = extensions.flatMap((one) => one.flags);
  const serve = defineCommand({
    arguments: [defineArgument('[command...]', 'command to run against a temporary server')],
    flags,
    rareFlags: [
      '--images-listen',
      '--images-control-socket',
      '--host-files',
      '--shared-storage',
      '--images',
      '--new-site',
      '--adopt-images',
      '--accept-loss',
      '--app-root',
      '--scope',
      '--admin',
      '--password-file',
      '--tls-cert',
      '--tls-key',
      '--host-name',
      '--allow-origin',
      '--seed',
      '--token-lifetime',
      '--load',
      '--save',
      '--check',
      '--restore',
      ...extensions.flatMap(({ rareFlags = [] }) => rareFlags),
    ],
    examples: [
      'vmctl serve --memory --inventory small -- vmctl vms list',
      'vmctl serve --data ./site --listen 127.0.0.1:8443',
      'vmctl serve --backup site.backup',
      'vmctl serve --restore site.backup --data ./again',
      'vmctl serve --dialect ovirt --memory --speed 0 --ready-file ready.json',
      'eval "$(vmctl serve --memory --detach --env)"',
      ...extensions.flatMap(({ examples = [] }) => examples),
    ],
    unshowable: 'local',
    prints: 'text',
    run: async (cli, [words], given) => {
      const values = pickOwnFlags(given, [...flags, ...more]);
      await (await import('./serve/run.ts')).serve(cli, words, values, extensions);
    },
  });
  // A feature may replace the description of a core flag.
  const replaced = new Set(more.map(getLongFlag));
  const extended = {
    ...serve,
    flags: [...serve.flags.filter((one) => !replaced.has(getLongFlag(one))), ...more],
  };
  return defineNoun({
    name: 'serve',
    doc: 'Run a server with simulated hosts and VMs',
    position: 160,
    section: 'Learn, test',
    commands: [extended, requests],
  });
}

export default createServeNoun([]);
