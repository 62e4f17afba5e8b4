/**
 * Sessions of the clients that the project of the engine publishes: the SDKs for Python, Go and Java,
 * ovirt-imageio, the Ansible collection, and go-ovirt-client with its own tests. `npm run clients`
 * installs them; the tests of a client that is not installed are skipped.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot, type ServerProcess, startServerProcess } from '../support/server.ts';

const run = promisify(execFile);
const sources = join(projectRoot, 'test/clients');
const installed = join(projectRoot, 'build/clients');
/** Several minutes: a session has hundreds of requests, and each Ansible module is a process. */
const timeout = 600_000;

/** Whether the clients of a language are installed. Prints a note if not. */
function isInstalled(language: string): boolean {
  const found = existsSync(join(installed, language, 'installed'));
  if (!found) console.warn(`The clients of ${language} are not installed: npm run clients`);
  return found;
}

let server: ServerProcess;

beforeAll(async () => {
  server = await startServerProcess(['--dialect', 'ovirt', '--speed', '0', '--inventory', 'small']);
});
afterAll(async () => {
  await server.stop();
});

/** Environment of a session, with the address and credentials of the server. */
const environment = (more: Readonly<Record<string, string>> = {}) => ({
  ...process.env,
  VMCTL_URL: server.ready.api_url,
  VMCTL_CA_FILE: server.ready.ca_file,
  VMCTL_USERNAME: server.ready.username,
  VMCTL_PASSWORD: server.password,
  ...more,
});

/** Output and exit code of a program. */
async function outcome(
  program: string,
  words: readonly string[],
  { cwd = projectRoot, env = environment() }: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<{ stdout: string; stderr: string; code: number }> {
  try {
    const done = await run(program, [...words], { cwd, env, maxBuffer: 2 ** 26 });
    return { ...done, code: 0 };
  } catch (error) {
    const { stdout, stderr, code } = error as { stdout: string; stderr: string; code: number };
    return { stdout, stderr, code };
  }
}

interface Step {
  readonly step: string;
  readonly error: string | null;
}

/** Steps that a session printed. */
async function session(program: string, ...words: readonly string[]): Promise<readonly Step[]> {
  const { stdout, stderr, code } = await outcome(program, words);
  expect(code, stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Step);
}

const failures = (steps: readonly Step[]) => steps.filter(({ error }) => error !== null);

describe.skipIf(!isInstalled('python'))('the Python SDK', () => {
  const python = join(installed, 'python/bin/python');

  it(
    'creates, reads, changes and removes objects, and transfers images with ovirt-imageio',
    async () => {
      const steps = await session(python, join(sources, 'python/session.py'));
      expect(failures(steps)).toEqual([]);
      expect(steps.length).toBeGreaterThan(80);
    },
    timeout,
  );
});

interface Played {
  readonly ok: number;
  readonly changed: readonly string[];
}

describe.skipIf(!isInstalled('python'))('the Ansible collection', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-ansible-'));
  const image = join(folder, 'image');
  writeFileSync(image, randomBytes(4 * 2 ** 20));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /**
   * Runs a playbook without failed tasks. Returns the number of tasks, and the names of changing
   * ones.
   */
  async function play(book: string, ...words: readonly string[]): Promise<Played> {
    const python = join(installed, 'python/bin');
    const { stdout, stderr, code } = await outcome(
      join(python, 'ansible-playbook'),
      [
        ...['--inventory', 'localhost,', '--connection', 'local'],
        ...['--extra-vars', `ansible_python_interpreter=${join(python, 'python')}`, ...words],
        join(sources, 'ansible', book),
      ],
      {
        env: environment({
          PATH: `${python}${delimiter}${process.env['PATH']}`,
          ANSIBLE_COLLECTIONS_PATH: join(installed, 'python/collections'),
          ANSIBLE_HOME: join(folder, 'home'),
          VMCTL_IMAGE: image,
        }),
      },
    );
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    const changed = [...stdout.matchAll(/^TASK \[(.*?)\] \*+\nchanged/gm)];
    return {
      ok: Number(/^localhost\s*: ok=(\d+)/m.exec(stdout)?.[1]),
      changed: changed.map(([, name]) => String(name)),
    };
  }

  it(
    'creates objects once, reads them, and removes them once',
    async () => {
      expect((await play('present.yml')).changed.length).toBeGreaterThan(25);
      expect((await play('present.yml')).changed).toEqual([]);
      expect(readFileSync(`${image}.copy`).equals(readFileSync(image))).toBe(true);
      expect((await play('info.yml')).ok).toBeGreaterThan(24);
      expect((await play('absent.yml')).changed.length).toBeGreaterThan(18);
      expect((await play('absent.yml', '--extra-vars', 'done=1')).changed).toEqual([]);
    },
    timeout,
  );
});

describe.skipIf(!isInstalled('go'))('go-ovirt', () => {
  it(
    'creates, reads, changes and removes objects, and transfers an image',
    async () => {
      const steps = await session(join(installed, 'go/session'));
      expect(failures(steps)).toEqual([]);
      expect(steps.length).toBeGreaterThan(8);
    },
    timeout,
  );
});

describe.skipIf(!isInstalled('go'))('go-ovirt-client', () => {
  /** Skipped tests of the client, with the reason. */
  const skipped = {
    TestBadOVirtURL: 'needs the internet',
    TestBadURL: 'needs the internet',
    'TestImage.*': 'needs an image that is not in the module; the session above moves one',
    'TestCannotRemoveTemplateIf.*': 'repeats the refused request for minutes',
    TestVMSoundcardEnabled: 'gives VMs names longer than 64 characters, which engines refuse',
    'TestVMNIC(WithMacCreation|Update)': 'gives a NIC a multicast address, which engines refuse',
    TestAffinityGroupCreation: 'expects 404 for an unknown affinity group; engines answer 400',
  };

  it(
    'passes its tests of a live engine',
    async () => {
      const { stdout, stderr } = await outcome(
        join(installed, 'go/suite'),
        [
          ...['-test.v', '-client', 'live', '-test.parallel', '8'],
          ...['-test.skip', `^(${Object.keys(skipped).join('|')})$`],
        ],
        {
          cwd: readFileSync(join(installed, 'go/suite-folder'), 'utf8'),
          env: environment({
            OVIRT_URL: server.ready.api_url,
            OVIRT_CAFILE: server.ready.ca_file,
            OVIRT_USERNAME: server.ready.username,
            OVIRT_PASSWORD: server.password,
          }),
        },
      );
      const results = (result: string) =>
        [...stdout.matchAll(new RegExp(`^--- ${result}: (\\S+)`, 'gm'))].map(([, name]) => name);
      expect(results('FAIL'), stderr).toEqual([]);
      expect(results('PASS').length).toBeGreaterThan(60);
    },
    timeout,
  );
});

describe.skipIf(!isInstalled('java'))('the Java SDK', () => {
  it(
    'creates, reads, changes and removes objects, and transfers an image',
    async () => {
      const libraries = join(installed, 'java/libraries/*');
      const path = [libraries, join(installed, 'java/classes')].join(delimiter);
      const steps = await session('java', '-cp', path, 'Session');
      expect(failures(steps)).toEqual([]);
      expect(steps.length).toBeGreaterThan(7);
    },
    timeout,
  );
});
