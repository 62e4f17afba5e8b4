/**
 * Reference servers of tests: in the process of the test, or the built `vmctl serve` in another
 * process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { ExtendedOptions } from '../../src/server/admin/extension.ts';
import { getServerDatabase } from './postgres.ts';
import { fastFolder } from './temporary.ts';

/**
 * Working directory at the start. Tests that change it must restore it, because others share their
 * process.
 */
export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

export const vmctl = fileURLToPath(new URL('../../bin/vmctl.js', import.meta.url));

export interface Ready {
  readonly base_url: string;
  readonly api_url: string;
  readonly auth_url: string;
  readonly upload_url: string;
  readonly ca_file: string;
  readonly username: string;
  readonly password_file: string | null;
  readonly pid: number;
}

/** Reference server that a test has started. */
export interface TestServer {
  readonly ready: Ready;
  /** Certificate authority, PEM. */
  readonly ca: string;
  readonly password: string;
  /** Current log. */
  readonly stderr: () => string;
  /** Stops the server. Resolves with its exit code. */
  stop(): Promise<number | null>;
}

/** Server in another process. */
export interface ServerProcess extends TestServer {
  readonly process: ChildProcess;
  /** Kills the server, like a crash. */
  kill(): Promise<void>;
}

export const password = 'not-a-secret';

const flags = {
  speed: { type: 'string', default: '1' },
  inventory: { type: 'string', default: 'small' },
  dialect: { type: 'string', default: 'standard' },
  seed: { type: 'string' },
  scope: { type: 'string' },
  'token-lifetime': { type: 'string', default: '28800' },
} as const;

/**
 * Starts a server with a store in memory in this process, on free ports. It needs no start of
 * Node, and its code is already compiled. `options` are flags of `vmctl serve`.
 */
export async function startTestServer(
  options: readonly string[] = [],
  { hypervisor }: Pick<ExtendedOptions, 'hypervisor'> = {},
): Promise<TestServer> {
  const { values } = parseArgs({ args: [...options], options: flags });
  const { loadServer } = await import('../../src/server/load.ts');
  const startServer = await loadServer();
  const { serverExtensions, storeAddress } = await import('../../src/testkit/extensions.ts');
  const extensions = await serverExtensions({});
  const address = { host: '127.0.0.1', port: 0 };
  const callLog = process.env['VMCTL_SERVE_CALL_LOG'];
  const database = await getServerDatabase();
  let stderr = '';
  const server = await inFastFolder(async () =>
    startServer({
      listen: address,
      imagesListen: address,
      data: undefined,
      store: database && (await storeAddress(database.address)),
      dialect: values.dialect === 'ovirt' ? 'ovirt' : 'standard',
      scope: values.scope,
      admin: 'admin@internal',
      password,
      inventory: values.inventory,
      speed: Number(values.speed),
      seed: values.seed === undefined ? undefined : Number(values.seed),
      tokenLifetime: Number(values['token-lifetime']),
      callLog: callLog === undefined || callLog === '' ? undefined : resolve(callLog),
      extensions,
      hypervisor,
      log: (line) => {
        stderr += `vmctl serve: ${line}\n`;
      },
    }),
  );
  return {
    ready: {
      base_url: server.baseUrl,
      api_url: server.apiUrl,
      auth_url: server.authUrl,
      upload_url: server.uploadUrl,
      ca_file: server.caFile,
      username: server.username,
      password_file: server.passwordFile ?? null,
      pid: process.pid,
    },
    ca: readFileSync(server.caFile, 'utf8'),
    password,
    stderr: () => stderr,
    stop: async () => {
      await server.stop();
      await database?.drop();
      return 0;
    },
  };
}

const repeatable: ReadonlySet<string> = new Set(['--fault', '--host-name', '--allow-origin']);

/** Removes options that later ones with the same name replace. */
function keepLastOptions(options: readonly string[]): readonly string[] {
  const kept: string[][] = [];
  for (const word of options) {
    if (!word.startsWith('--')) {
      kept.at(-1)?.push(word);
      continue;
    }
    const [name = ''] = word.split('=');
    const before = kept.findIndex(([first = '']) => first.split('=')[0] === name);
    if (before >= 0 && !repeatable.has(name)) kept.splice(before, 1);
    kept.push([word]);
  }
  return kept.flat();
}

/** Runs a function that immediately creates its temporary folder, in a fast file system. */
function inFastFolder<T>(begin: () => T): T {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = fastFolder;
  try {
    return begin();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/**
 * Starts the built `vmctl serve` on free ports, with additional options and variables. Its data is
 * temporary by default, in memory unless the variables contain `TMPDIR`. `program` is the `vmctl`
 * of another tree.
 */
export async function startServerProcess(
  options: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
  program = vmctl,
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(fastFolder, 'vmctl-test-'));
  const readyFile = join(folder, 'ready.json');
  const data = options[options.indexOf('--data') + 1];
  const keep = options.includes('--data');
  const mayChoose =
    program === vmctl && !['--memory', '--replay'].some((one) => options.includes(one));
  const database = mayChoose ? await getServerDatabase(keep ? data : undefined) : undefined;
  const child = spawn(
    process.execPath,
    [
      program,
      'serve',
      ...keepLastOptions([
        ...['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
        ...['--ready-file', readyFile],
        ...(database ? ['--store', database.address] : keep ? [] : ['--memory']),
        ...(database && !keep ? ['--data', join(folder, 'data')] : []),
        ...options,
      ]),
    ],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Node 20 reads these certificates at each start.
      env: {
        ...{ ...process.env, NODE_EXTRA_CA_CERTS: undefined },
        ...(keep ? {} : { TMPDIR: folder }),
        ...{ VMCTL_SERVE_PASSWORD: password, ...env },
      },
    },
  );
  let stderr = '';
  child.stderr.on('data', (piece: Buffer) => {
    stderr += piece.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let ended = false;
  exited.then(() => {
    ended = true;
  });
  while (!existsSync(readyFile)) {
    if (ended) throw new Error(`The server did not start: ${stderr}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const ready = JSON.parse(readFileSync(readyFile, 'utf8')) as Ready;
  const ca = readFileSync(ready.ca_file, 'utf8');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    const code = await exited;
    rmSync(folder, { recursive: true, force: true });
    if (!keep) await database?.drop();
    return code;
  };
  return {
    ready,
    ca,
    password,
    process: child,
    stderr: () => stderr,
    stop: () => end('SIGTERM'),
    kill: async () => {
      await end('SIGKILL');
    },
  };
}
