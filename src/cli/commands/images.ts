/** `vmctl images`: direct access to an image daemon with the URL of a ticket. */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import { imagesAddress } from './serve/default-addresses.ts';

const url = defineArgument('<url>', 'transfer_url or proxy_url of an image transfer');
const sample = 'https://host:54322/images/TICKET';

const guarded = `The image belongs to the current context, and to each context with the host of the URL. A protected context
asks for its name before a change (--confirm); a read-only context refuses changes. Without a context, only
the ticket protects the image.`;

const inspecting = [
  defineCommand({
    verb: 'options',
    purpose: 'Show the capabilities of the image daemon',
    summary: 'Show the capabilities of the image daemon for a ticket',
    arguments: [url],
    examples: [`vmctl images options ${sample}`],
    prints: 'object',
    run: async (cli, [at]) => (await import('./images/inspect.ts')).printOptions(cli, at),
  }),
  defineCommand({
    verb: 'info',
    purpose: 'Show the size and allocation of an image',
    summary: 'Show the size and allocation of the image of a ticket',
    arguments: [url],
    examples: [`vmctl images info ${sample}`],
    prints: 'object',
    run: async (cli, [at]) => (await import('./images/inspect.ts')).printInfo(cli, at),
  }),
  defineCommand({
    verb: 'extents',
    purpose: 'List data, zero or changed extents of an image',
    summary: 'List extents of the image of a ticket',
    arguments: [url],
    flags: [
      defineFlag(
        '--context <word>',
        'zero extents, or changes since the last backup (default zero)',
        {
          choices: ['zero', 'dirty'],
          default: 'zero',
        },
      ),
    ],
    examples: [`vmctl images extents ${sample} -o json`],
    run: async (cli, [at], flags) =>
      (await import('./images/inspect.ts')).printExtents(cli, at, flags),
  }),
  defineCommand({
    verb: 'checksum',
    purpose: 'Show the checksum of an image',
    summary: 'Show the checksum of the image of a ticket',
    arguments: [url],
    flags: [
      defineFlag('--algorithm <name>', 'hash algorithm (default: that of the daemon)'),
      defineFlag('--block-size <size>', 'block size in bytes (default 4MiB)'),
    ],
    examples: [`vmctl images checksum ${sample} --algorithm sha256`],
    prints: 'object',
    run: async (cli, [at], flags) =>
      (await import('./images/inspect.ts')).printChecksum(cli, at, flags),
  }),
];

const bytes = [
  defineCommand({
    verb: 'read',
    purpose: 'Read bytes of an image',
    summary: 'Read bytes of the image of a ticket',
    arguments: [url],
    flags: [
      defineFlag('--offset <size>', 'first byte', { default: '0' }),
      defineFlag('--size <size>', 'number of bytes (default: to the end)'),
      defineFlag('-O, --output-file <file>', 'output file instead of stdout'),
      defineFlag('--force', 'replace an existing file'),
    ],
    examples: [
      `vmctl images read ${sample} --size 512 | xxd`,
      `vmctl images read ${sample} --offset 1MiB --size 4MiB -O part.raw`,
    ],
    prints: 'text',
    run: async (cli, [at], flags) => (await import('./images/bytes.ts')).readBytes(cli, at, flags),
  }),
  defineCommand({
    verb: 'write',
    purpose: 'Write bytes to an image',
    summary: 'Write bytes to the image of a ticket',
    arguments: [
      url,
      defineArgument('<file>', 'file with the bytes; - for stdin', { type: 'file' }),
    ],
    flags: [
      defineFlag('--offset <size>', 'first byte', { default: '0' }),
      defineFlag('--no-flush', 'do not flush to stable storage'),
    ],
    examples: [
      `vmctl images write ${sample} part.raw --offset 1MiB`,
      `vmctl images write ${sample} - --no-flush`,
    ],
    notes: guarded,
    prints: 'nothing',
    run: async (cli, [at, file], flags) =>
      (await import('./images/bytes.ts')).writeBytes(cli, at, file, flags),
  }),
  defineCommand({
    verb: 'zero',
    purpose: 'Zero a range of an image',
    summary: 'Zero a range of the image of a ticket',
    arguments: [url],
    flags: [
      defineFlag('--offset <size>', 'first byte', { default: '0' }),
      defineFlag('--size <size>', 'number of bytes', { required: true }),
      defineFlag('--flush', 'flush to stable storage'),
    ],
    examples: [`vmctl images zero ${sample} --offset 0 --size 1GiB --flush`],
    notes: guarded,
    prints: 'nothing',
    run: async (cli, [at], flags) => (await import('./images/bytes.ts')).zeroRange(cli, at, flags),
  }),
  defineCommand({
    verb: 'flush',
    purpose: 'Flush written data to stable storage',
    summary: 'Flush the image of a ticket to stable storage',
    arguments: [url],
    examples: [`vmctl images flush ${sample}`],
    prints: 'nothing',
    run: async (cli, [at]) => (await import('./images/bytes.ts')).flushImage(cli, at),
  }),
];

const serve = defineCommand({
  verb: 'serve',
  purpose: 'Run the image daemon for files and NBD servers',
  flags: [
    defineFlag('--ticket <file...>', 'JSON documents with one ticket each; - for stdin'),
    defineFlag(
      '--listen <host:port>',
      `listen address (default ${imagesAddress}); port 0 for any`,
      {
        default: imagesAddress,
      },
    ),
    defineFlag('--tls-cert <file>', 'certificate chain, PEM (default: self-signed)'),
    defineFlag('--tls-key <file>', 'key of the certificate, PEM'),
    defineFlag('--no-tls', 'plain HTTP'),
    defineFlag('--unix-socket <path>', 'additional unix socket for local clients', {
      type: 'file',
    }),
    defineFlag('--control-socket <path>', 'control socket for tickets', { type: 'file' }),
    defineFlag(
      '--max-connections <number>',
      'maximum number of connections, up to 512 (default 512)',
      {
        default: '512',
      },
    ),
    defineFlag(
      '--max-per-address <number>',
      'maximum number of connections per network address (default 256)',
      {
        default: '256',
      },
    ),
    defineFlag(
      '--ready-file <file>',
      'write addresses and process id to this JSON file when the daemon is ready',
    ),
  ],
  notes: `A ticket grants operations on one image:\n  {"uuid": "t", "size": 1048576, "ops": ["read", "write"], "timeout": 3600,\n   "url": "file:///var/tmp/disk.raw"}\n\nurl is file:///PATH, nbd:unix:PATH, nbd:HOST:PORT or nbd://HOST/EXPORT; size is in bytes, timeout in\nseconds without use. The control socket adds (PUT), shows (GET), extends (PATCH) and removes (DELETE)\ntickets at /tickets/UUID.`,
  examples: [
    'vmctl images serve --ticket ticket.json',
    'vmctl images serve --ticket a.json b.json --listen 0.0.0.0:54322 --tls-cert c.pem --tls-key k.pem',
    'vmctl images serve --control-socket control.sock --unix-socket images.sock --no-tls',
    'curl --unix-socket control.sock -T ticket.json http://localhost/tickets/t',
  ],
  unshowable: 'local',
  prints: 'text',
  run: async (cli, _, flags) => (await import('./images/serve.ts')).serve(cli, flags),
});

export default defineNoun({ name: 'images', commands: [...inspecting, ...bytes, serve] });
