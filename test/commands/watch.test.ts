/** Repeated lists: changes are printed as they occur. */
import { spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { vmctl } from '../support/server.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

const name = 'watched';
const create = ['vms', 'create', '--name', name, '--cluster', 'Default', '--template', 'Blank'];

afterEach(async () => {
  await desk.run(['vms', 'delete', name]);
});

interface Watching {
  /** Resolves with all output so far, once it satisfies a pattern. */
  readonly until: (pattern: RegExp) => Promise<string>;
  /** Presses Ctrl-C; resolves with the exit code. */
  readonly interrupt: () => Promise<number | null>;
}

function watch(...words: string[]): Watching {
  const { ready, password } = desk.server();
  const child = spawn(process.execPath, [vmctl, ...words], {
    env: {
      HOME: desk.home().folder,
      VMCTL_URL: ready.base_url,
      VMCTL_USERNAME: ready.username,
      VMCTL_PASSWORD: password,
      VMCTL_CA_FILE: ready.ca_file,
    },
  });
  let text = '';
  let check: () => void = () => {};
  const take = (piece: Buffer) => {
    text += piece.toString();
    check();
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return {
    until: (pattern) =>
      new Promise((resolve) => {
        check = () => {
          if (pattern.test(text)) resolve(text);
        };
        check();
      }),
    interrupt: () =>
      new Promise((resolve) => {
        child.once('close', resolve);
        child.kill('SIGINT');
      }),
  };
}

describe('--watch off a terminal', () => {
  it('prints an object when it comes, changes and goes, as JSON lines', async () => {
    const watching = watch('vms', 'list', '--search', `name=${name}`, '-o', 'json', '--watch=50ms');
    await desk.must(...create);
    await watching.until(/"status":"down"/);
    await desk.must('vms', 'update', name, '--description', 'seen by somebody');
    await watching.until(/seen by somebody/);
    await desk.must('vms', 'delete', name);
    const lines = (await watching.until(/"gone":true/)).trim().split('\n');
    const seen = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    expect(await watching.interrupt()).toBe(130);
  });

  it('prints rows under one line of titles', async () => {
    const watching = watch(
      'vms',
      'list',
      '--search',
      `name=${name}`,
      '--columns',
      'name,comment',
      '--watch=50ms',
    );
    await desk.must(...create, '--comment', 'first');
    await watching.until(/first/);
    await desk.must('vms', 'update', name, '--comment', 'second');
    const text = await watching.until(/second/);
    expect(text.match(/NAME/g)).toHaveLength(1);
    expect(await watching.interrupt()).toBe(130);
  });
});

describe('vmctl watch', () => {
  it('shows the objects that are named, and no others', async () => {
    await desk.must(...create);
    const watching = watch(
      'watch',
      `vms/${name}`,
      'vms/vm-01',
      '--interval',
      '50ms',
      '-o',
      'jsonl',
    );
    await watching.until(/"name":"vm-01"/);
    await desk.must('vms', 'update', 'vm-02', '--comment', 'nobody looks');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'seen by somebody');
    const text = await watching.until(/seen by somebody/);
    expect(text).toContain(`"name":"${name}"`);
    expect(text).not.toContain('vm-02');
    await desk.must('vms', 'delete', name);
    await watching.until(/"gone":true/);
    expect(await watching.interrupt()).toBe(130);
  });

  it('is a verb of every noun that has a list', async () => {
    const watching = watch('tags', 'watch', '-o', 'jsonl', '--interval', '50ms');
    await desk.must('tags', 'create', '--name', 'green');
    await watching.until(/"name":"green"/);
    expect(await watching.interrupt()).toBe(130);
  });

  it.each([
    [['watch', 'nosuch'], ': kind missing'],
    [['watch', 'vms/vm-01', 'disks'], 'objects of several kinds have no common list'],
    [
      ['watch', 'vms/vm-01', '--search', 'status=up'],
      '--search and names of objects exclude each other',
    ],
    [['vms', 'list', '--watch=often'], '--watch often: not a duration'],
  ])('refuses %j', async (words, reason) => {
    const { code, stdout, stderr } = await desk.run(words);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(reason)]);
  });
});
