/** Contexts that `.vmctl.yaml` files select. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findFolderFile } from '../../src/cli/session/folder-context.ts';
import { setVariables } from '../support/command.ts';
import { vmctl } from '../support/server.ts';
import { terminalScript } from '../support/terminal.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand([], true);
/** Environment in which contexts select the server. */
const user = { VMCTL_URL: undefined };
const start = process.cwd();
let folder: string;
let file: string;

beforeAll(async () => {
  const { ready } = desk.server();
  for (const name of ['prod', 'lab']) await desk.must('login', ready.base_url, '-c', name);
  folder = join(realpathSync(desk.home().folder), 'project/deep');
  file = join(folder, '../.vmctl.yaml');
});

beforeEach(() => {
  mkdirSync(folder, { recursive: true });
  process.chdir(folder);
  rmSync(join(desk.home().folder, 'state/vmctl/trusted-files.json'), { force: true });
});

afterEach(() => {
  process.chdir(start);
  rmSync(join(folder, '..'), { recursive: true });
});

const run = async (words: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  await desk.home().runHere(words, { ...user, ...env });

async function must(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(words);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** Name and source of the current context. */
async function findCurrent(env: NodeJS.ProcessEnv = {}, ...flags: string[]): Promise<string> {
  const words = ['context', 'current', '-o', 'csv', '--no-headers', '--columns', 'name,source'];
  return (await run([...words, ...flags], env)).stdout.trim();
}

describe('a .vmctl.yaml file', () => {
  it('selects the context in its folder and below, after the flag and the variable', async () => {
    writeFileSync(file, 'context: prod\n');
    expect(await findCurrent()).toBe('lab,configuration');
    await must('context', 'trust');
    expect(await findCurrent()).toBe(`prod,${realpathSync(file)}`);
    expect(await must('whoami', '-o', 'json')).toContain('"context": "prod"');
    expect(await findCurrent({ VMCTL_CONTEXT: 'lab' })).toBe('lab,VMCTL_CONTEXT');
    expect(await findCurrent({ VMCTL_CONTEXT: 'prod' }, '-c', 'lab')).toBe('lab,--context');
    expect(await must('context', 'list', '-o', 'csv')).toMatch(/^true,prod,.*\.vmctl\.yaml$/m);
  });

  it('has no effect if VMCTL_URL selects the server', async () => {
    writeFileSync(file, 'context: prod\n');
    const { ready } = desk.server();
    const words = ['vms', 'list', '-o', 'name'];
    const untrusted = await desk.run(words);
    expect([untrusted.code, untrusted.stderr]).toEqual([0, '']);
    await must('context', 'trust');
    expect(await findCurrent({ VMCTL_URL: ready.base_url })).toBe('lab,configuration');
  });

  it('is ignored in scripts until trusted, with one note', async () => {
    writeFileSync(file, 'context: missing\n');
    const { code, stderr } = await run(['whoami']);
    const path = realpathSync(file);
    expect(code).toBe(0);
    expect(stderr).toBe(
      `${path} is ignored, because it is not trusted; to use it: vmctl context trust ${path}\n`,
    );
    expect((await run(['commands', 'vms'])).stderr).not.toContain('ignored');
    expect((await run(['__complete', 'vms', 'get', ''])).stderr).toBe('');
  });

  it('is absent in a folder that cannot be searched, and in a deleted one', () => {
    // A path below a file fails as a folder without permission does.
    const below = join(vmctl, 'folder');
    expect(findFolderFile('/nowhere', {}, below)).toBeUndefined();
    const script = 'rmdir "$PWD" && exec "$0" "$1" context list';
    mkdirSync(join(folder, 'deleted'));
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, vmctl], {
      cwd: join(folder, 'deleted'),
      env: setVariables({ ...desk.home().env, ...user }),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });

  it('loses its trust after a change or --remove', async () => {
    writeFileSync(file, 'context: prod\n');
    await must('context', 'trust');
    writeFileSync(file, 'context: prod\n# changed\n');
    expect(await findCurrent()).toBe('lab,configuration');
    expect((await run(['whoami'])).stderr).toContain('not trusted');
    expect(await must('context', 'trust', '--list')).toMatch(/\.vmctl\.yaml +prod +changed/);
    await must('context', 'trust', '--remove');
    expect((await run(['context', 'trust', '--remove'])).code).toBe(3);
    expect(await must('context', 'trust', '--list', '-o', 'json')).toBe('[]\n');
  });

  it('decides before a file in a parent folder, even if it is not trusted', async () => {
    writeFileSync(file, 'context: prod\n');
    await must('context', 'trust');
    writeFileSync('.vmctl.yaml', 'context: prod\n');
    expect(await findCurrent()).toBe('lab,configuration');
    await must('context', 'trust', folder);
    expect(await findCurrent()).toBe(`prod,${folder}/.vmctl.yaml`);
  });

  it.each([
    ['context: prod\nurl: https://x\n', ':2:1: unknown key "url"', 2],
    ['context: [prod]\n', ':1:1: "context" is not the name of a context', 2],
    ['context: 7\n', ':1:1: "context" is not the name of a context', 2],
    ['{}\n', ':1:1: "context" is missing', 2],
    ['prod\n', ':1:1: not an object', 2],
    ['', ':1:1: ', 2],
    ['context: a: b\n', ':1:', 2],
    ['\ncontext: prodd\n', ':2:1: context prodd not found\nhint: did you mean prod?', 3],
  ])('with %j is refused', async (text, problem, expected) => {
    writeFileSync(file, text);
    const { code, stderr } = await run(['context', 'trust']);
    expect(stderr).toContain(`${realpathSync(file)}${problem}`);
    expect(code).toBe(expected);
  });

  it('reports its position if its context was deleted', async () => {
    const { ready } = desk.server();
    await desk.must('login', ready.base_url, '-c', 'old');
    await must('context', 'use', 'lab');
    writeFileSync(file, 'context: old\n');
    await must('context', 'trust');
    await must('context', 'delete', 'old', '--yes');
    for (const words of [['whoami'], ['context', 'show']]) {
      const { code, stderr } = await run(words);
      expect([code, stderr]).toEqual([3, expect.stringContaining('.vmctl.yaml:1:1: context old')]);
    }
  });

  it('has to be a regular file', async () => {
    writeFileSync('real.yaml', 'context: prod\n');
    for (const make of [
      () => symlinkSync(join(folder, 'real.yaml'), file),
      () => mkdirSync(file),
      () => spawnSync('mkfifo', [file]),
    ]) {
      make();
      const { code, stderr } = await run(['context', 'trust']);
      expect(code).toBe(2);
      expect(stderr).toMatch(/is (a symbolic link|not a regular file)/);
      const other = await run(['whoami']);
      expect(other.code).toBe(0);
      expect(other.stderr).toMatch(/ is ignored: .*(a symbolic link|not a regular file)/);
      rmSync(file, { recursive: true });
    }
  });

  it('is not searched above the home directory', async () => {
    writeFileSync(file, 'context: prod\n');
    const { stderr, code } = await run(['whoami'], { HOME: folder });
    expect([code, stderr]).toEqual([0, '']);
  });

  it('notes that it has priority over vmctl context use', async () => {
    writeFileSync(file, 'context: prod\n');
    await must('context', 'trust');
    const { stderr } = await run(['context', 'use', 'lab']);
    expect(stderr).toBe(`current context: lab\n${realpathSync(file)} selects prod instead\n`);
  });

  it('refuses --list with --remove or a path, and paths of other files', async () => {
    for (const [words, problem] of [
      [['--list', '--remove'], '--list excludes --remove'],
      [['.', '--list'], '--list excludes a path'],
      [['real.yaml'], 'neither a folder nor a .vmctl.yaml'],
    ] as const) {
      const { code, stderr } = await run(['context', 'trust', ...words]);
      expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    }
    const { code, stderr } = await run(['context', 'trust']);
    expect(code).toBe(3);
    expect(stderr).toContain("hint: echo 'context: NAME' > .vmctl.yaml");
  });
});

describe('on a terminal', () => {
  const typeAnswer = (answer: string) =>
    spawnSync(
      'bash',
      ['-c', terminalScript(`${process.execPath} ${vmctl} whoami -o json`, answer)],
      { env: setVariables({ ...desk.home().env, ...user }), encoding: 'utf8' },
    ).stdout;

  it('a new file is confirmed once', async () => {
    writeFileSync(file, 'context: prod\n');
    expect(typeAnswer('y\n')).toMatch(/selects the context prod [\s\S]*"context": "prod"/);
    expect(await findCurrent()).toBe(`prod,${realpathSync(file)}`);
  });

  it('a declined file is ignored from then on', async () => {
    writeFileSync(file, 'context: prod\n');
    expect(typeAnswer('n\n')).toMatch(/Trust this file\?[\s\S]*"context": "lab"/);
    expect(typeAnswer('\n')).not.toContain('Trust');
    expect((await run(['whoami'])).stderr).toBe('');
    expect(await must('context', 'trust', '--list')).toMatch(/ignored/);
  });
});
