/** `vmctl serve`: the reference server, for as long as it runs or for one command. */
import { InvalidArgumentError } from 'commander';
import { command, type NounModule, noun } from '../args/command.ts';
import { argument, camelCase, type FlagSpec, flag, flagParts } from '../args/parameters.ts';
import { apiAddress, imagesAddress } from './serve/default-addresses.ts';
import type { ServeExtension } from './serve/extension.ts';

const repeatable = { repeatable: true, default: [] } as const;

function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new InvalidArgumentError('It must be a number that is not negative.');
  }
  return value;
}

const addressFlags = [
  flag(
    '--listen <host:port>',
    `address of the API (default ${apiAddress}); port 0 selects a free port`,
  ),
  flag(
    '--images-listen <host:port>',
    `address of the image daemon (default ${imagesAddress}); port 0 selects a free port`,
  ),
  flag('--images-control-socket <path>', 'unix socket for tickets of the image daemon', {
    type: 'file',
  }),
] as const;

const dataFlags = [
  flag('--data <dir>', 'data folder (default: in the XDG state folder)'),
  flag('--memory', 'in memory only, without a data folder'),
  flag('--store <address>', 'database of the state: sqlite:DIR'),
  flag('--images <dir>', 'folder for disk contents (default: in the data folder)'),
  flag(
    '--host-files <dir>',
    'folder for files on hosts, such as exported VMs (default: in the data folder)',
  ),
  flag(
    '--shared-storage <dir>',
    'folder for storage that several servers share; storage domains move between them',
  ),
  flag('--new-site', 'move the contents of the data folder aside and start with an empty site'),
  flag('--adopt-images', 'use a database and images that do not belong together'),
  flag('--accept-loss', 'open a database that lacks acknowledged changes'),
] as const;

const protocolFlags = [
  flag('--dialect <name>', 'URL paths and JSON format of the API (default standard)', {
    choices: ['standard', 'ovirt'],
  }),
  flag('--app-root <path>', 'application root (default: that of the dialect)'),
  flag('--scope <scope>', 'OAuth scope (default: that of the dialect)'),
  flag('--admin <user@domain>', 'administrator (default admin@internal)'),
  flag('--password-file <file>', 'file with the password of the administrator'),
  flag('--tls-cert <file>', 'certificate chain, PEM (default: self-signed)'),
  flag('--tls-key <file>', 'key of the certificate, PEM'),
  flag(
    '--host-name <name>',
    'additional host name for the certificate and clients (may be repeated)',
    repeatable,
  ),
  flag(
    '--allow-origin <origin>',
    'origin of web pages with write access: https://console.example.com (may be repeated)',
    repeatable,
  ),
] as const;

const simulationFlags = [
  flag('--inventory <what>', 'empty, small (default), hosts=10,vms=1000, or a file'),
  flag('--speed <factor>', 'factor for the time of state changes (default 1); 0: immediate', {
    parse: number,
  }),
  flag('--seed <number>', 'seed for reproducible ids and variation', { parse: number }),
  flag('--token-lifetime <seconds>', 'lifetime of access tokens in seconds (default 28800)', {
    parse: number,
  }),
] as const;

const taskFlags = [
  flag('--load <file>', 'saved state, instead of an inventory'),
  flag('--save <file>', 'save the state of the server of this context, and exit'),
  flag('--check', 'check the data folder, and exit'),
  flag('--backup <file>', 'back up state and images to a file, and exit'),
  flag('--restore <file>', 'restore a backup to the data folder, and exit'),
  flag('--ready-file <file>', 'write addresses and process id to this file (JSON) when ready'),
  flag('--log <what>', 'log more: requests logs each request', { choices: ['requests'] }),
  flag('--env', 'print commands that export VMCTL_* variables'),
  flag('--detach', 'run in the background'),
  flag('--stop', 'stop a background server (see --listen, --data)'),
  flag('--instance <file>', 'registration file of the server in the background', { hidden: true }),
] as const;

const flags = [
  ...addressFlags,
  ...dataFlags,
  ...protocolFlags,
  ...simulationFlags,
  ...taskFlags,
] as const;

/** The values of flags of this command, without the flags of every command. */
function ownFlags<T extends object>(given: T, all: readonly FlagSpec[]): T {
  const names = new Set(all.map(({ notation }) => camelCase(flagParts(notation).long)));
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as T;
}

const requests = command({
  verb: 'requests',
  purpose: 'Show requests and responses of a server, without secrets',
  summary: 'Show requests of a server',
  flags: [
    flag('--follow', 'follow new requests until Ctrl-C'),
    flag('--limit <n>', 'number of recent requests (default 20; with --follow 0)'),
    flag('--method <word>', 'method, for example POST'),
    flag('--status <status>', 'status, for example 409 or 4xx'),
    flag('--path <text>', 'text in the path, for example /vms'),
    flag('--count <n>', 'with --follow: number of requests to print'),
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

function longOf({ notation }: FlagSpec): string {
  return flagParts(notation).long;
}

/** `vmctl serve`, with extensions of features. */
export function serveNoun(extensions: readonly ServeExtension[]): NounModule {
  const more = extensions.flatMap((one) => one.flags);
  const serve = command({
    arguments: [argument('[command...]', 'command to run against a temporary server')],
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
      const values = ownFlags(given, [...flags, ...more]);
      await (await import('./serve/run.ts')).serve(cli, words, values, extensions);
    },
  });
  // A feature may describe a flag of the core in its place.
  const replaced = new Set(more.map(longOf));
  const extended = {
    ...serve,
    flags: [...serve.flags.filter((one) => !replaced.has(longOf(one))), ...more],
  };
  return noun({
    name: 'serve',
    doc: 'Run a server with simulated hosts and VMs',
    position: 160,
    section: 'Learn, test',
    commands: [extended, requests],
  });
}

export default serveNoun([]);
