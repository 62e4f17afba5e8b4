/** `--dry-run` with every command: no file of its user differs afterwards, and no changing request is sent. */
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Journal } from '../../src/transfer/journal.ts';
import { builtVmctl, type Result } from '../support/in-process.ts';
import { send } from '../support/raw.ts';
import { projectRoot } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { allNouns, commandPages } from './shown.ts';
import { type ExamplesSite, splitWords, startExamplesSite } from './site.ts';

/** Commands that need a terminal, use a protocol or run until a signal; all refuse the flag. */
const refusing =
  /^vmctl (login|logout|ui|mcp|serve(?! requests)|images serve|config|context|completion|help)\b/;

/** Examples with pipes: the commands before and after the pipe are not vmctl. */
const inShell = /[|<>$]|^(?!vmctl )|upload https:|\/TICKET|&\s*$/;

let site: ExamplesSite;

beforeAll(async () => {
  site = await startExamplesSite();
  process.chdir(site.folder);
  writeFileSync(join(site.folder, 'root.qcow2'), Buffer.alloc(1 << 20, 1));
  writeFileSync(join(site.folder, 'new.yaml'), 'name: new\n');
  await changingRequests();
});
afterAll(async () => {
  process.chdir(projectRoot);
  await site.stop();
});

/** Every file and folder below one, with its content and the time of its last change. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const { mtimeMs } = statSync(path);
      const isFile = statSync(path).isFile();
      return [name, isFile ? `${mtimeMs} ${readFileSync(path).toString('base64')}` : 'folder'];
    }),
  );
}

/** Number of the last inspected request. */
let since = 0;

/** The requests since the last look that could have changed something; signing in is none. */
async function changingRequests(): Promise<readonly string[]> {
  const address = `${new URL(site.server.ready.base_url).origin}/_vmctl/requests`;
  const { text } = await send(`${address}?since=${since}&limit=1000`, {
    ca: site.server.ca,
    headers: { Authorization: `Bearer ${site.admin.token}` },
  });
  const { requests, last } = JSON.parse(text) as {
    requests: { method: string; path: string }[];
    last: number;
  };
  since = last;
  const changes = requests.filter(
    ({ method, path }) => !/^(GET|HEAD|OPTIONS)$/.test(method) && !path.includes('/sso/oauth/'),
  );
  return changes.map(({ method, path }) => `${method} ${path}`);
}

/** Runs a line with the flag, and expects that nothing differs afterwards. */
async function dryRun(line: string, env = site.env): Promise<Result> {
  const words = splitWords(line).slice(1);
  const end = words.indexOf('--');
  const at = end < 0 ? words.length : end;
  await changingRequests();
  const files = filesIn(site.folder);
  // The awaited state may never occur.
  const patience = / wait\b|--tail|--watch|--follow|^vmctl (watch|top)/.test(line)
    ? ['--timeout', '300ms']
    : [];
  const all = [...words.slice(0, at), '--dry-run', '--yes', '--no-input', ...patience];
  const result = await builtVmctl([...all, ...words.slice(at)], { env, stdin: '' });
  const after = filesIn(site.folder);
  const differ = [...new Set([...Object.keys(files), ...Object.keys(after)])].filter(
    (name) => files[name] !== after[name],
  );
  expect(differ, `${line}: ${result.stderr}`).toEqual([]);
  expect(await changingRequests(), line).toEqual([]);
  return result;
}

/** Leaves the journal of an upload that was killed while it wrote; returns the id of its disk. */
async function interruptUpload(): Promise<string> {
  const disk = (await site.must('vmctl disks get web02_Disk1 -o id')).trim();
  const file = join(site.folder, 'image.raw');
  writeFileSync(file, Buffer.alloc(1 << 20, 1));
  const { size, mtimeNs, ino } = statSync(file, { bigint: true });
  const folder = join(site.folder, '.local/state/vmctl/transfers');
  const journal = Journal.create(folder, {
    ...{ version: 1, direction: 'upload', server: site.server.ready.base_url, disk },
    ...{ name: 'web02_Disk1', file, format: 'raw', size: Number(size), created: true },
    ...{ zeroed: true, hashed: true },
    identity: { size: Number(size), modified: String(mtimeNs), inode: String(ino) },
  });
  journal.close();
  appendFileSync(journal.path, '{"transfer":');
  return disk;
}

const nouns = await allNouns();
const pages = selectSlowCases(
  await commandPages(nouns),
  'test/examples/dry-run.test.ts',
  ({ entry }) => entry.name,
);
/** Returns the runnable examples of each command, or its name alone. */
const lines = pages.map(({ entry, examples }) => {
  const own = examples.filter((line) => !inShell.test(line));
  return { name: entry.name, lines: own.length > 0 ? own : [`vmctl ${entry.name}`] };
});

describe('vmctl --dry-run writes nothing and sends no change', () => {
  it.each(lines)('$name', async ({ lines: all }) => {
    for (const line of all) {
      const { code, stderr } = await dryRun(line);
      if (refusing.test(line)) expect([code, stderr], line).toEqual([2, expect.anything()]);
    }
  });

  it.each([
    'vmctl events list --tail --cursor cursor.json --count 1',
    'vmctl disks upload root.qcow2 --disk root',
    'vmctl disks upload root.qcow2 --name new --storage-domain data1',
    'vmctl disks download root copy.qcow2',
    'vmctl vms export-ova web02 web02.ova',
    'vmctl vms screenshot web01 --file screen.png',
    'vmctl vms console web01 --file console.vv',
    'vmctl backups run web01 backups',
    'vmctl apply site.yaml',
    'vmctl export',
  ])('%s', async (line) => {
    await dryRun(line);
  });

  it('leaves the journal of an interrupted transfer and the history unchanged', async () => {
    const disk = await interruptUpload();
    await site.must('vmctl tags create --name mine');
    for (const line of [
      `vmctl disks upload image.raw --disk ${disk} --resume`,
      `vmctl disks upload image.raw --disk ${disk}`,
      'vmctl disks upload image.raw --name other --storage-domain data1',
      'vmctl undo',
    ]) {
      const { stderr } = await dryRun(line);
      expect(stderr, line).not.toMatch(/no unfinished transfer|no change/);
    }
    // A revert needs no further request.
    await site.must('vmctl tags delete mine --yes');
    await dryRun('vmctl undo 1');
    expect((await dryRun('vmctl history')).code).toBe(2);
  });

  it('signs in without keeping the token', async () => {
    const { VMCTL_TOKEN: _, ...signedOut } = site.env;
    const env = { ...signedOut, VMCTL_PASSWORD: site.server.password };
    expect(await dryRun('vmctl vms stop web01', env)).toMatchObject({ code: 0 });
  });
});
