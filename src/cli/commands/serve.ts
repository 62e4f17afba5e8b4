/** `vmctl serve`: the reference server, for as long as it runs or for one command. */
import { InvalidArgumentError } from 'commander';
import { command, noun } from '../args/command.ts';
import { argument, camelCase, flag, flagParts } from '../args/parameters.ts';
import { apiAddress, imagesAddress } from './serve/default-addresses.ts';

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
    `address of the API; port 0: any (${apiAddress}; with a command: any port)`,
  ),
  flag(
    '--images-listen <host:port>',
    `address of the image daemon (${imagesAddress}; with a command: any port)`,
  ),
  flag('--images-control-socket <path>', 'unix socket for the tickets of the image daemon', {
    type: 'file',
  }),
] as const;

const dataFlags = [
  flag('--data <dir>', 'folder of the data (default: below the XDG state folder)'),
  flag('--memory', 'keep nothing'),
  flag('--store <address>', 'keep the state in sqlite:DIR or postgres://HOST/NAME'),
  flag('--images <dir>', 'folder of the bytes of disks (default: below that of the data)'),
  flag(
    '--host-files <dir>',
    'folder of the files of hosts, such as exported machines (default: below that of the data)',
  ),
  flag(
    '--shared-storage <dir>',
    'folder that stands for storage which other servers see, too: domains go from one to another',
  ),
  flag('--new-site', 'move what the folder of the data holds aside, and begin an empty site'),
  flag('--adopt-images', 'use database and images together although they do not fit'),
  flag('--accept-loss', 'open a database that lacks acknowledged changes'),
] as const;

const protocolFlags = [
  flag('--dialect <name>', 'how it speaks on the wire (standard)', {
    choices: ['standard', 'ovirt'],
  }),
  flag('--app-root <path>', 'application root instead of that of the dialect'),
  flag('--scope <scope>', 'OAuth scope instead of that of the dialect'),
  flag('--admin <user@domain>', 'the administrator (admin@internal)'),
  flag('--password-file <file>', "file with the administrator's password"),
  flag('--tls-cert <file>', 'certificate chain, PEM, instead of its own'),
  flag('--tls-key <file>', 'key of the certificate, PEM'),
  flag(
    '--host-name <name>',
    'a further name of this server, for its certificate and its clients (may be repeated)',
    repeatable,
  ),
  flag(
    '--allow-origin <origin>',
    'let pages from there change something: https://console.example.com (may be repeated)',
    repeatable,
  ),
] as const;

const simulationFlags = [
  flag(
    '--inventory <what>',
    'what a new service holds: empty, small (the default), hosts=10,vms=1000,... or a file',
  ),
  flag('--speed <factor>', 'how long transitions take (1); 0: they happen at once', {
    parse: number,
  }),
  flag('--seed <number>', 'make ids and variation the same each time', { parse: number }),
  flag('--token-lifetime <seconds>', 'how long an access token is valid (28800)', {
    parse: number,
  }),
  flag(
    '--fault <rule>',
    'make requests fail: operation=start,vm=web*,rate=0.1 (may be repeated)',
    repeatable,
  ),
  flag('--delay <duration>', 'delay every answer, as a far line does: 200ms±50'),
] as const;

const taskFlags = [
  flag('--replay <file>', 'answer from a recording that vmctl --record made'),
  flag('--load <file>', 'begin with a saved state instead of an inventory'),
  flag('--save <file>', 'save the state of the server of this context, and end'),
  flag(
    '--copy-store <from>',
    'copy a site into another store, and end: --copy-store FROM TO, each as --store has it',
  ),
  flag('--check', 'look at everything in the folder of the data, and end'),
  flag('--backup <file>', 'copy state and images into a file, and end'),
  flag('--restore <file>', 'bring a backup into the folder of the data, and end'),
  flag('--ready-file <file>', 'write addresses and process id there, as JSON, once it answers'),
  flag('--log <what>', 'also a line for each request', { choices: ['requests'] }),
  flag('--env', 'print shell exports for the client once it answers'),
  flag('--open', 'show its page in a browser once it answers'),
  flag('--detach', 'leave it running in the background once it answers'),
  flag('--stop', 'end the one in the background (of --listen, --data)'),
  flag('--instance <file>', 'record of this server in the background', { hidden: true }),
] as const;

const flags = [
  ...addressFlags,
  ...dataFlags,
  ...protocolFlags,
  ...simulationFlags,
  ...taskFlags,
] as const;

const names: ReadonlySet<string> = new Set(
  flags.map(({ notation }) => camelCase(flagParts(notation).long)),
);

/** What is given of the flags of this command, without those that every command has. */
function ownFlags<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.has(name))) as T;
}

const requests = command({
  verb: 'requests',
  purpose: 'Show what a server was asked, and what it answered, without secrets',
  summary: 'Show what a server was asked',
  flags: [
    flag('--follow', 'go on as requests come, until Ctrl-C'),
    flag('--limit <n>', 'the newest n (20; with --follow none of before)'),
    flag('--method <word>', 'only these: POST'),
    flag('--status <status>', 'only these: 409, 4xx'),
    flag('--path <text>', 'only those with this text in their path: /vms'),
    flag('--count <n>', 'with --follow: end after so many'),
  ],
  notes:
    'It asks the server of the context, which has to be a vmctl serve, as its administrator. The last ' +
    '1,000 requests are kept, bodies up to 64 KiB; -o json and jsonl show headers and bodies as well.',
  examples: [
    'vmctl serve requests',
    'vmctl serve requests --status 4xx -o json',
    'vmctl serve requests --follow -o jsonl',
  ],
  unshowable: 'many',
  onlyReads: true,
  run: async (cli, _, given) => (await import('./serve/requests.ts')).showRequests(cli, given),
});

export default noun({
  name: 'serve',
  doc: 'Run the reference server',
  position: 160,
  commands: [
    command({
      arguments: [argument('[command...]', 'run this command against the server, then stop it')],
      flags,
      rareFlags: [
        '--images-listen',
        '--images-control-socket',
        '--host-files',
        '--shared-storage',
        '--images',
        '--new-site',
        '--copy-store',
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
      ],
      examples: [
        'vmctl serve --memory --inventory small -- vmctl vms list',
        'vmctl serve --data ./site --listen 127.0.0.1:8443',
        'vmctl serve --backup site.backup',
        'vmctl serve --restore site.backup --data ./again',
        'vmctl serve --dialect ovirt --memory --speed 0 --ready-file ready.json',
        'eval "$(vmctl serve --memory --detach --env)"',
        'vmctl serve --replay session.ndjson -- vmctl vms list',
      ],
      unshowable: 'local',
      prints: 'text',
      run: async (cli, [words], given) =>
        (await import('./serve/run.ts')).serve(cli, words, ownFlags(given)),
    }),
    requests,
  ],
});
