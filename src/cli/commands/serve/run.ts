/** The run of `vmctl serve`: the server, for as long as it is wanted or for one command. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import type { ServerOptions } from '../../../server/core/options.ts';
import type { RunningServer } from '../../../server/main.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { writeOptionFile, writeReadyFile } from '../../session/private-file.ts';
import { stopSignal } from '../../session/signals.ts';

export interface ServeFlags {
  readonly listen?: string;
  readonly imagesListen?: string;
  readonly imagesControlSocket?: string;
  readonly data?: string;
  readonly memory?: boolean;
  readonly newSite?: boolean;
  readonly adoptImages?: boolean;
  readonly dialect: 'standard' | 'ovirt';
  readonly appRoot?: string;
  readonly scope?: string;
  readonly admin: string;
  readonly passwordFile?: string;
  readonly hostFiles?: string;
  readonly sharedStorage?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly hostName: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly inventory: string;
  readonly speed: number;
  readonly seed?: number;
  readonly tokenLifetime: number;
  readonly readyFile?: string;
  readonly env?: boolean;
  readonly fault: readonly string[];
  readonly load?: string;
  readonly save?: string;
  readonly check?: boolean;
  readonly backup?: string;
  readonly restore?: string;
}

/** Runs the server, or does one of the other things that the flags ask for. */
export async function serve(
  cli: CommandContext,
  words: readonly string[],
  flags: ServeFlags,
): Promise<void> {
  if (flags.save !== undefined) return save(cli, flags.save);
  const { check, backup, restore } = flags;
  if (check === true || backup !== undefined || restore !== undefined) {
    const { maintain } = await import('./maintain.ts');
    const folder =
      flags.data === undefined && flags.backup !== undefined ? undefined : dataFolder(cli, flags);
    return maintain(cli, folder, { check, backup, restore });
  }
  const { startServer } = await import('../../../server/main.ts');
  const options = await serverOptions(cli, flags, words.length > 0);
  // From now on: whoever asks it to stop while it starts, or the moment it is ready, is heard.
  const stopping = words.length > 0 ? undefined : stopSignal();
  cli.signal.throwIfAborted();
  const server = await startServer(options).catch((error: unknown) => {
    throw refusalOf(error);
  });
  try {
    await announce(cli, server, flags, words.length > 0);
    if (words.length > 0) cli.exitCode = await runCommand(server, words, cli.signal);
    else await stopping;
  } finally {
    await server.stop();
  }
}

/** What keeps a server from starting, with what can be done about it. */
function refusalOf(error: unknown): UsageError {
  const { message, hint } = error as { message?: string; hint?: string };
  return new UsageError(message ?? String(error), hint === undefined ? {} : { hint });
}

async function serverOptions(
  cli: CommandContext,
  flags: ServeFlags,
  hasCommand: boolean,
): Promise<ServerOptions> {
  const { parseAddress, parseHostName, parseOrigin } = await import(
    '../../../server/core/options.ts'
  );
  if (flags.memory && flags.data !== undefined) {
    throw new UsageError('--memory keeps nothing, --data names a folder: use one of them');
  }
  if ((flags.tlsCert === undefined) !== (flags.tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key belong together: give both or none');
  }
  const parsed = <T>(parse: (text: string, option: string) => T, text: string, option: string) => {
    try {
      return parse(text, option);
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  };
  // A command is told where the server is: several may run side by side.
  const defaultAddress = (port: number) => `127.0.0.1:${hasCommand ? 0 : port}`;
  return {
    listen: parsed(parseAddress, flags.listen ?? defaultAddress(8443), '--listen'),
    imagesListen: parsed(
      parseAddress,
      flags.imagesListen ?? defaultAddress(54322),
      '--images-listen',
    ),
    imagesControlSocket: absolute(flags.imagesControlSocket),
    data: flags.memory ? undefined : dataFolder(cli, flags),
    newSite: flags.newSite,
    adoptImages: flags.adoptImages,
    dialect: flags.dialect,
    appRoot: flags.appRoot,
    scope: flags.scope,
    admin: flags.admin,
    password: passwordOf(cli, flags),
    hostFiles: absolute(flags.hostFiles),
    sharedStorage: absolute(flags.sharedStorage),
    tlsCert: absolute(flags.tlsCert),
    tlsKey: absolute(flags.tlsKey),
    hostNames: flags.hostName.map((name) => parsed(parseHostName, name, '--host-name')),
    allowOrigins: flags.allowOrigin.map((text) => parsed(parseOrigin, text, '--allow-origin')),
    inventory: flags.inventory,
    load: absolute(flags.load),
    faults: await faultsOf(flags.fault),
    speed: flags.speed,
    seed: flags.seed,
    tokenLifetime: flags.tokenLifetime,
    // For the tests of the server itself: no option, because nobody else has a use for it.
    callLog: absolute(cli.io.env['VMCTL_SERVE_CALL_LOG'] || undefined),
    log: (line) => cli.io.stderr.write(`vmctl serve: ${line}\n`),
  };
}

/** Paths mean what they meant when they were given, whatever is done with them where. */
function absolute(path: string | undefined): string | undefined {
  return path === undefined ? undefined : resolve(path);
}

function dataFolder(cli: CommandContext, { data }: ServeFlags): string {
  return resolve(data ?? join(cli.paths.stateDirectory, 'serve'));
}

/** Fetches the state of a running server into a file, which is there as a whole or not at all. */
async function save(cli: CommandContext, file: string): Promise<void> {
  const client = await cli.client();
  const answer = await client.raw({ method: 'GET', path: '/_vmctl/state' });
  if (answer.status !== 200) {
    throw new UsageError(`the server does not give its state: it answers ${answer.status}`, {
      hint: 'only vmctl serve has one, and only its administrator may fetch it',
    });
  }
  writeOptionFile('--save', file, answer.body);
}

async function faultsOf(rules: readonly string[]): Promise<Readonly<Record<string, unknown>>[]> {
  const { FaultRules, parseFault } = await import('../../../server/admin/faults.ts');
  const check = new FaultRules(Math.random);
  return rules.map((rule) => {
    try {
      const members = parseFault(rule);
      check.add(members);
      return members;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new UsageError(`--fault ${rule}: ${reason}`);
    }
  });
}

function passwordOf(cli: CommandContext, { passwordFile }: ServeFlags): string | undefined {
  if (passwordFile === undefined) return cli.io.env['VMCTL_SERVE_PASSWORD'] || undefined;
  try {
    const password = readFileSync(passwordFile, 'utf8').replace(/\r?\n$/, '');
    if (password !== '') return password;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--password-file ${passwordFile} cannot be read: ${reason}`);
  }
  throw new UsageError(`--password-file ${passwordFile} is empty`);
}

/** What says of another server who signs in there, and how, means nothing for this one. */
function withoutServer(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = ['VMCTL_TOKEN', 'VMCTL_PASSWORD_FILE', 'VMCTL_CONTEXT', 'VMCTL_INSECURE'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name)));
}

/** Tells where the server is: as a file, as shell exports, and in words. */
async function announce(
  cli: CommandContext,
  server: RunningServer,
  flags: ServeFlags,
  runsCommand: boolean,
): Promise<void> {
  if (flags.readyFile !== undefined) {
    const ready = {
      base_url: server.baseUrl,
      api_url: server.apiUrl,
      auth_url: server.authUrl,
      upload_url: server.uploadUrl,
      ca_file: server.caFile,
      username: server.username,
      password_file: flags.passwordFile ?? server.passwordFile ?? null,
      pid: process.pid,
    };
    // It tells where the password is, not the password.
    writeReadyFile(flags.readyFile, ready, 0o644);
  }
  if (runsCommand) return;
  if (flags.env) {
    const lines = Object.entries(environment(server))
      .map(([name, value]) => `export ${name}=${shellQuote(value)}`)
      .join('\n');
    await write(cli.io.stdout, `${lines}\nexport VMCTL_SERVE_PID=${process.pid}\n`);
  }
  const lines = [
    `the API is at ${server.apiUrl}`,
    `the image daemon is at ${server.uploadUrl}`,
    `its certificate authority is ${server.caFile}`,
    `the administrator is ${server.username}`,
    ...(server.passwordIsNew
      ? [`the password is ${server.password} (kept in ${server.passwordFile})`]
      : []),
    'hosts and virtual machines are simulated; the bytes of disks are real',
  ];
  await write(cli.io.stderr, `${lines.map((line) => `vmctl serve: ${line}`).join('\n')}\n`);
}

function environment(server: RunningServer): Record<string, string> {
  return {
    VMCTL_URL: server.baseUrl,
    VMCTL_USERNAME: server.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.caFile,
  };
}

/** Runs a command with the server in its environment; resolves with its exit code. */
function runCommand(
  server: RunningServer,
  words: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const [program = '', ...rest] = words;
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, {
      stdio: 'inherit',
      env: { ...withoutServer(process.env), ...environment(server) },
    });
    const stop = () => child.kill('SIGTERM');
    signal.addEventListener('abort', stop, { once: true });
    child.once('error', (error) => {
      reject(new UsageError(`${program} cannot be run: ${error.message}`));
    });
    child.once('exit', (code, name) => {
      signal.removeEventListener('abort', stop);
      resolve(code ?? 128 + (name ? constants.signals[name] : 0));
    });
  });
}
