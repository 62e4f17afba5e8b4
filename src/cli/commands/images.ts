/** `vmctl images options`, `read`, `write` and so on: the image daemon itself, by a ticket's URL. */
import { type Command, Option } from 'commander';
import type { CommandContext } from '../session/command-context.ts';
import type { ReadFlags, WriteFlags, ZeroFlags } from './images/bytes.ts';
import type { ChecksumFlags, ExtentsFlags } from './images/inspect.ts';
import type { ServeFlags } from './images/serve.ts';

/** Adds the verbs that the model does not describe. */
export function register(command: Command, cli: CommandContext): void {
  const verb = (name: string, purpose: string, ...examples: string[]) =>
    command
      .command(name)
      .argument('<url>', 'transfer_url or proxy_url of an image transfer')
      .description(purpose)
      .addHelpText('after', `\nExamples:\n${examples.map((one) => `  ${one}`).join('\n')}`);
  const url = 'https://host:54322/images/TICKET';
  verb(
    'options',
    'Show what the image daemon can do with an image',
    `vmctl images options ${url}`,
  ).action(async (at: string) => (await import('./images/inspect.ts')).options(cli, at));
  verb('info', 'Show the size of an image, and what is in it', `vmctl images info ${url}`).action(
    async (at: string) => (await import('./images/inspect.ts')).info(cli, at),
  );
  verb(
    'extents',
    'List which parts of an image hold data, zeros, or changes',
    `vmctl images extents ${url} -o json`,
  )
    .addOption(
      new Option('--context <word>', 'zeros, or what has changed since the last backup (zero)')
        .choices(['zero', 'dirty'])
        .default('zero'),
    )
    .action(async (at: string, flags: ExtentsFlags) =>
      (await import('./images/inspect.ts')).extents(cli, at, flags),
    );
  verb(
    'checksum',
    'Show the checksum of an image',
    `vmctl images checksum ${url} --algorithm sha256`,
  )
    .option('--algorithm <name>', 'hash (what the daemon prefers)')
    .option('--block-size <size>', 'bytes of the blocks that are hashed (4MiB)')
    .action(async (at: string, flags: ChecksumFlags) =>
      (await import('./images/inspect.ts')).checksum(cli, at, flags),
    );
  verb(
    'read',
    'Read bytes of an image',
    `vmctl images read ${url} --size 512 | xxd`,
    `vmctl images read ${url} --offset 1MiB --size 4MiB -O part.raw`,
  )
    .option('--offset <size>', 'first byte', '0')
    .option('--size <size>', 'how many bytes (all that follow)')
    .option('-O, --output-file <file>', 'write them into this file instead of stdout')
    .option('--force', 'replace the file if it exists')
    .action(async (at: string, flags: ReadFlags) =>
      (await import('./images/bytes.ts')).read(cli, at, flags),
    );
  verb(
    'write',
    'Write bytes into an image',
    `vmctl images write ${url} part.raw --offset 1MiB`,
    `vmctl images write ${url} - --no-flush`,
  )
    .argument('<file>', 'the bytes to write; - is stdin')
    .option('--offset <size>', 'where the first byte goes', '0')
    .option('--no-flush', 'do not wait until they are on stable storage')
    .action(async (at: string, file: string, flags: WriteFlags) =>
      (await import('./images/bytes.ts')).writeBytes(cli, at, file, flags),
    );
  verb(
    'zero',
    'Make a part of an image read as zeros',
    `vmctl images zero ${url} --offset 0 --size 1GiB --flush`,
  )
    .option('--offset <size>', 'first byte', '0')
    .requiredOption('--size <size>', 'how many bytes')
    .option('--flush', 'wait until they are on stable storage')
    .action(async (at: string, flags: ZeroFlags) =>
      (await import('./images/bytes.ts')).zero(cli, at, flags),
    );
  verb(
    'flush',
    'Bring everything that was written to stable storage',
    `vmctl images flush ${url}`,
  ).action(async (at: string) => (await import('./images/bytes.ts')).flush(cli, at));
  registerServe(command, cli);
}

function registerServe(command: Command, cli: CommandContext): void {
  command
    .command('serve')
    .description('Run the image daemon by itself, for images in files and behind NBD servers')
    .option('--ticket <file...>', 'JSON documents, a ticket in each; - is stdin')
    .option(
      '--listen <host:port>',
      'address to listen on (127.0.0.1:54322); port 0: any',
      '127.0.0.1:54322',
    )
    .option('--tls-cert <file>', 'certificate chain, PEM, instead of its own')
    .option('--tls-key <file>', 'key of the certificate, PEM')
    .option('--no-tls', 'speak plain HTTP')
    .option('--unix-socket <path>', 'listen there as well, for clients on this machine')
    .option('--control-socket <path>', 'take tickets there, while it runs')
    .option('--max-connections <number>', 'connections to images at once, up to 512 (512)', '512')
    .option('--max-per-address <number>', 'those from one address of the network (256)', '256')
    .option('--ready-file <file>', 'write addresses and process id there, as JSON, once it answers')
    .addHelpText(
      'after',
      `
A ticket says who may do what with which image:
  {"uuid": "t", "size": 1048576, "ops": ["read", "write"], "timeout": 3600,
   "url": "file:///var/tmp/disk.raw"}

Its url is file:///PATH, nbd:unix:PATH, nbd:HOST:PORT or nbd://HOST/EXPORT; size is in bytes,
timeout in seconds without use. Through the control socket tickets are added (PUT), looked at
(GET), extended (PATCH) and removed (DELETE) at /tickets/UUID.

Examples:
  vmctl images serve --ticket ticket.json
  vmctl images serve --ticket a.json b.json --listen 0.0.0.0:54322 --tls-cert c.pem --tls-key k.pem
  vmctl images serve --control-socket control.sock --unix-socket images.sock --no-tls
  curl --unix-socket control.sock -T ticket.json http://localhost/tickets/t
`,
    )
    .action(async (flags: ServeFlags) => (await import('./images/serve.ts')).serve(cli, flags));
}
