/** `vmctl images options`, `read`, `write` and so on: the image daemon itself, by a ticket's URL. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { imagesAddress } from './serve/default-addresses.ts';

const url = argument('<url>', 'transfer_url or proxy_url of an image transfer');
const sample = 'https://host:54322/images/TICKET';

const guarded = `The image belongs to the context that the command uses, whatever host the URL names, and to each context
with that host. A protected context asks for its name before bytes change (--confirm), and a read-only one
refuses. Without a context nothing but the ticket protects the image.`;

const inspecting = [
  command({
    verb: 'options',
    purpose: 'Show what the image daemon can do with an image',
    summary: 'Show what the image daemon can do with the image of a ticket',
    arguments: [url],
    examples: [`vmctl images options ${sample}`],
    prints: 'object',
    run: async (cli, [at]) => (await import('./images/inspect.ts')).options(cli, at),
  }),
  command({
    verb: 'info',
    purpose: 'Show the size of an image, and what is in it',
    summary: 'Show the size of the image of a ticket, and what is in it',
    arguments: [url],
    examples: [`vmctl images info ${sample}`],
    prints: 'object',
    run: async (cli, [at]) => (await import('./images/inspect.ts')).info(cli, at),
  }),
  command({
    verb: 'extents',
    purpose: 'List which parts of an image hold data, zeros, or changes',
    summary: 'List which parts of the image of a ticket hold data',
    arguments: [url],
    flags: [
      flag('--context <word>', 'zeros, or what has changed since the last backup (zero)', {
        choices: ['zero', 'dirty'],
        default: 'zero',
      }),
    ],
    examples: [`vmctl images extents ${sample} -o json`],
    run: async (cli, [at], flags) => (await import('./images/inspect.ts')).extents(cli, at, flags),
  }),
  command({
    verb: 'checksum',
    purpose: 'Show the checksum of an image',
    summary: 'Show the checksum of the image of a ticket',
    arguments: [url],
    flags: [
      flag('--algorithm <name>', 'hash (what the daemon prefers)'),
      flag('--block-size <size>', 'bytes of the blocks that are hashed (4MiB)'),
    ],
    examples: [`vmctl images checksum ${sample} --algorithm sha256`],
    prints: 'object',
    run: async (cli, [at], flags) => (await import('./images/inspect.ts')).checksum(cli, at, flags),
  }),
];

const bytes = [
  command({
    verb: 'read',
    purpose: 'Read bytes of an image',
    summary: 'Read bytes of the image of a ticket',
    arguments: [url],
    flags: [
      flag('--offset <size>', 'first byte', { default: '0' }),
      flag('--size <size>', 'how many bytes (all that follow)'),
      flag('-O, --output-file <file>', 'write them into this file instead of stdout'),
      flag('--force', 'replace the file if it exists'),
    ],
    examples: [
      `vmctl images read ${sample} --size 512 | xxd`,
      `vmctl images read ${sample} --offset 1MiB --size 4MiB -O part.raw`,
    ],
    prints: 'text',
    run: async (cli, [at], flags) => (await import('./images/bytes.ts')).read(cli, at, flags),
  }),
  command({
    verb: 'write',
    purpose: 'Write bytes into an image',
    summary: 'Write bytes into the image of a ticket',
    arguments: [url, argument('<file>', 'the bytes to write; - is stdin', { type: 'file' })],
    flags: [
      flag('--offset <size>', 'where the first byte goes', { default: '0' }),
      flag('--no-flush', 'do not wait until they are on stable storage'),
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
  command({
    verb: 'zero',
    purpose: 'Make a part of an image read as zeros',
    summary: 'Make a part of the image of a ticket read as zeros',
    arguments: [url],
    flags: [
      flag('--offset <size>', 'first byte', { default: '0' }),
      flag('--size <size>', 'how many bytes', { required: true }),
      flag('--flush', 'wait until they are on stable storage'),
    ],
    examples: [`vmctl images zero ${sample} --offset 0 --size 1GiB --flush`],
    notes: guarded,
    prints: 'nothing',
    run: async (cli, [at], flags) => (await import('./images/bytes.ts')).zero(cli, at, flags),
  }),
  command({
    verb: 'flush',
    purpose: 'Bring everything that was written to stable storage',
    summary: 'Bring what was written to the image of a ticket to stable storage',
    arguments: [url],
    examples: [`vmctl images flush ${sample}`],
    prints: 'nothing',
    run: async (cli, [at]) => (await import('./images/bytes.ts')).flush(cli, at),
  }),
];

const serve = command({
  verb: 'serve',
  purpose: 'Run the image daemon by itself, for images in files and behind NBD servers',
  flags: [
    flag('--ticket <file...>', 'JSON documents, a ticket in each; - is stdin'),
    flag('--listen <host:port>', `address to listen on (${imagesAddress}); port 0: any`, {
      default: imagesAddress,
    }),
    flag('--tls-cert <file>', 'certificate chain, PEM, instead of its own'),
    flag('--tls-key <file>', 'key of the certificate, PEM'),
    flag('--no-tls', 'speak plain HTTP'),
    flag('--unix-socket <path>', 'listen there as well, for clients on this machine', {
      type: 'file',
    }),
    flag('--control-socket <path>', 'take tickets there, while it runs', { type: 'file' }),
    flag('--max-connections <number>', 'connections to images at once, up to 512 (512)', {
      default: '512',
    }),
    flag('--max-per-address <number>', 'those from one address of the network (256)', {
      default: '256',
    }),
    flag('--ready-file <file>', 'write addresses and process id there, as JSON, once it answers'),
  ],
  notes: `A ticket says who may do what with which image:
  {"uuid": "t", "size": 1048576, "ops": ["read", "write"], "timeout": 3600,
   "url": "file:///var/tmp/disk.raw"}

Its url is file:///PATH, nbd:unix:PATH, nbd:HOST:PORT or nbd://HOST/EXPORT; size is in bytes,
timeout in seconds without use. Through the control socket tickets are added (PUT), looked at
(GET), extended (PATCH) and removed (DELETE) at /tickets/UUID.`,
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

export default noun({ name: 'images', commands: [...inspecting, ...bytes, serve] });
