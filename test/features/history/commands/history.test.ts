/** `vmctl history`: complete records of changes, without secrets. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';

const desk = useSignedInCommand();

interface Request {
  readonly object: string;
  readonly method: string;
  readonly status?: number;
  readonly error?: string;
  readonly correlation_id?: string;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly before?: Readonly<Record<string, unknown>>;
}

interface Entry {
  readonly id: number;
  readonly command: string;
  readonly outcome: string;
  readonly undo: string;
  readonly server: string;
  readonly username: string;
  readonly requests: readonly Request[];
}

const folder = () => join(desk.home().folder, 'state/vmctl/history');
const entries = async (...flags: string[]) => await desk.json<Entry[]>('history', ...flags);
const last = async () => (await entries()).at(-1);
const files = () => (existsSync(folder()) ? readdirSync(folder()) : []);

beforeAll(async () => {
  await desk.must('vms', 'list');
});

describe('the history', () => {
  it('is empty before the first change', async () => {
    await desk.must('vms', 'get', 'vm-01');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'shown only', '--dry-run');
    await desk.must('vms', 'update', 'vm-01', '--comment', 'shown only', '--curl');
    expect(existsSync(folder())).toBe(false);
    const { code, stdout, stderr } = await desk.run(['history']);
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain('no changes recorded');
    expect(await entries()).toEqual([]);
  });

  it('has the command, its requests, and their results', async () => {
    await desk.must('vms', 'update', 'vm-01', '--comment', "it's one");
    const entry = await last();
    expect(entry).toMatchObject({
      command: "vmctl vms update vm-01 --comment 'it'\\''s one'",
      outcome: 'done',
      undo: 'possible',
      server: desk.server().ready.base_url,
      username: desk.server().ready.username,
    });
    expect(entry?.requests).toMatchObject([
      { object: 'vms/vm-01', method: 'PUT', status: 200, before: { comment: '' } },
    ]);
    expect(entry?.requests[0]?.correlation_id).toMatch(/^vmctl-/);
    const text = await desk.must('history', String(entry?.id));
    expect(text).toMatch(/^change: {3}\d+$/m);
    expect(text).toContain("  comment: '' -> it's one\n");
    expect(await desk.must('history', `history/${entry?.id}`)).toBe(text);
  });

  it('has failed commands with the reason', async () => {
    const { code } = await desk.run(['tags', 'create', '--name', 'root']);
    expect(code).toBe(6);
    const entry = await last();
    expect([entry?.outcome, entry?.undo]).toEqual(['failed', 'no']);
    expect(entry?.requests).toMatchObject([
      { status: 409, error: expect.stringContaining('root') },
    ]);
  });

  it('has every object of a command, and raw requests', async () => {
    await desk.must(
      'vms',
      'update',
      '--all',
      '--search',
      'name=vm-*',
      '--description',
      'x',
      '--yes',
    );
    expect((await last())?.requests.length).toBe(3);
    await desk.must('api', 'POST', '/bookmarks', '-F', 'name=b', '-F', 'value=Vms: status=up');
    expect(await last()).toMatchObject({
      undo: 'no',
      requests: [{ object: 'POST /bookmarks', status: 201 }],
    });
  });

  it('has the changes of a definition', async () => {
    const site = join(desk.home().folder, 'site.yaml');
    writeFileSync(site, 'tags: [{ name: from-a-file }]\n');
    await desk.must('apply', site, '--yes');
    expect(await last()).toMatchObject({
      command: `vmctl apply ${site} --yes`,
      requests: [{ object: 'tags/from-a-file', method: 'POST' }],
    });
  });

  it('is printed in every format, newest last, limited by --limit', async () => {
    const all = await entries();
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => index + 1));
    const { stdout, stderr } = await desk.run(['history', '--limit', '2', '-o', 'name']);
    expect(stdout).toBe(`history/${all.length - 1}\nhistory/${all.length}\n`);
    expect(stderr).toContain(`newest 2 of ${all.length}; use --limit to show more`);
    expect(await desk.must('history', '-o', 'csv', '--columns', 'id', '--limit', '1')).toMatch(
      /^id\r?\n\d+\r?\n$/,
    );
    expect((await desk.must('history', '-o', 'jsonl')).trim().split('\n')).toHaveLength(all.length);
    expect((await desk.run(['history', '99999'])).code).toBe(3);
    expect((await desk.run(['history', 'first'])).code).toBe(2);
    expect((await desk.run(['history', '--dry-run'])).code).toBe(2);
  });

  it('lists the changes of this server, or of all', async () => {
    const before = await entries();
    const number = Math.max(...before.map(({ id }) => id)) + 1;
    const head = { time: '2026-01-01T00:00:00Z', server: 'https://elsewhere/api', words: ['vms'] };
    writeFileSync(join(folder(), `${number}.jsonl`), `${JSON.stringify({ head })}\n`, {
      mode: 0o600,
    });
    expect(await entries()).toEqual(before);
    expect((await entries('--all')).at(-1)).toMatchObject({ id: number, outcome: 'unknown' });
    const { code, stderr } = await desk.run(['undo', String(number)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('https://elsewhere/api')]);
  });
});

describe('the history files', () => {
  it('are accessible only for their owner', async () => {
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    for (const name of files()) {
      expect([name, statSync(join(folder(), name)).mode & 0o077]).toEqual([name, 0]);
    }
    chmodSync(folder(), 0o755);
    await desk.must('tags', 'create', '--name', 'closed-again');
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
  });

  it('contain no secrets', async () => {
    const secret = 'pa55-of-somebody';
    const path = join(desk.home().folder, 'password.txt');
    writeFileSync(path, `${secret}\n`, { mode: 0o600 });
    await desk.must('hosts', 'update', 'host1', '--root-password-file', path);
    const document = { initialization: { root_password: secret, user_name: 'root' } };
    await desk.run(['vms', 'update', 'vm-02', '-f', '-'], JSON.stringify(document));
    await desk.run([
      'vms',
      'update',
      'vm-02',
      '--set-json',
      `initialization=${JSON.stringify(document.initialization)}`,
    ]);
    await desk.run([
      'api',
      'POST',
      `/vms?password=${secret}`,
      '-F',
      `initialization.root_password=${secret}`,
    ]);
    await desk.run(['api', 'PUT', '/vms/1', '-H', `Cookie: session=${secret}`, '-F', 'name=x']);
    await desk.must('vms', 'start', 'vm-01', '--if-needed');
    await desk.run(['vms', 'ticket', 'vm-01', '--ticket-value', secret]);
    const text = files()
      .map((name) => readFileSync(join(folder(), name), 'utf8'))
      .join('');
    expect(text).toContain('root-password-file');
    expect(text).toContain('ticket');
    expect(text).not.toContain(secret);
  });

  it('are not written with VMCTL_HISTORY=off or the equivalent setting', async () => {
    const before = files().length;
    const off = { VMCTL_HISTORY: 'off' };
    expect((await desk.home().runHere(['tags', 'create', '--name', 'unseen'], off)).code).toBe(0);
    await desk.must('config', 'set', 'history', 'off');
    await desk.must('tags', 'delete', 'unseen');
    expect(files().length).toBe(before);
    await desk.must('config', 'unset', 'history');
    const odd = { VMCTL_HISTORY: 'perhaps' };
    expect((await desk.home().runHere(['tags', 'create', '--name', 'odd'], odd)).code).toBe(2);
    expect((await desk.run(['config', 'set', 'history', 'perhaps'])).code).toBe(2);
  });

  it('are skipped with one warning if the folder is not writable', async () => {
    const state = join(desk.home().folder, 'no-folder');
    writeFileSync(state, '');
    const env = { XDG_STATE_HOME: state };
    const words = ['vms', 'update', 'vm-01', 'vm-02', '--description', 'all the same'];
    const { code, stderr } = await desk.home().runHere(words, env);
    expect(code).toBe(0);
    expect(stderr.match(/cannot record this change in the history:/g)).toHaveLength(1);
    expect((await desk.home().runHere(['history'], env)).code).toBe(0);
  });

  it('may be damaged: the readable part is shown', async () => {
    const all = await entries();
    const [first] = all;
    const path = join(folder(), `${first?.id}.jsonl`);
    writeFileSync(
      path,
      `\u0000 broken\n${readFileSync(path, 'utf8')}{"request": 7\n[]\n{"said":1}\n`,
    );
    writeFileSync(join(folder(), '500.jsonl'), 'not a line of it\n');
    writeFileSync(join(folder(), 'notes.txt'), 'somebody else');
    expect(await entries()).toEqual(all);
  });

  it('keep the newest thousand entries, with increasing numbers', async () => {
    const head = { time: '2026-01-01T00:00:00Z', server: 'https://elsewhere/api', words: ['vms'] };
    for (let number = 2_001; number <= 3_100; number += 1) {
      writeFileSync(join(folder(), `${number}.jsonl`), `${JSON.stringify({ head })}\n`);
    }
    await desk.must('tags', 'create', '--name', 'the-newest');
    const numbers = files().flatMap((name) => /^(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
    expect(numbers).toHaveLength(1_000);
    expect(Math.min(...numbers.map(Number))).toBe(2_102);
    expect(await last()).toMatchObject({ id: 3_101 });
  });

  it('are complete if many commands write concurrently', async () => {
    const names = Array.from({ length: 6 }, (_, index) => `parallel-${index}`);
    const before = (await entries('--limit', '1000')).length;
    const codes = await Promise.all(
      names.map(async (name) => (await desk.home().run(['tags', 'create', '--name', name])).code),
    );
    expect(codes).toEqual(names.map(() => 0));
    const added = (await entries('--limit', '1000')).slice(before);
    const made = added.flatMap(({ requests }) => requests.map(({ object }) => object));
    expect(made.toSorted()).toEqual(names.map((name) => `tags/${name}`));
  });
});

describe('a command that only reads', () => {
  it('neither creates nor needs the folder', async () => {
    const state = join(desk.home().folder, 'other-state');
    mkdirSync(state);
    await desk.home().runHere(['vms', 'list'], { XDG_STATE_HOME: state });
    await desk.home().runHere(['vms', 'update', 'vm-01', '--description', 'all the same'], {
      XDG_STATE_HOME: state,
    });
    expect(existsSync(join(state, 'vmctl/history'))).toBe(false);
  });
});
