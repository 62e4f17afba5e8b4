/** Recreation of a site from its export: by requests, and as the inventory of a server. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writtenCollections } from '../../../../src/model/derive/definitions.ts';
import { makeRich } from '../../../commands/support/rich-site.ts';
import { useSignedInCommand } from '../../../commands/support/signed-in-command.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { type ServerProcess, startServerProcess } from '../../../support/server.ts';

const desk = useSignedInCommand();
const started: (readonly [ServerProcess, Home])[] = [];

let text: string;
let file: string;
let password: string;

beforeAll(async () => {
  await makeRich(desk);
  text = await desk.must('export');
  file = join(desk.home().folder, 'site.yaml');
  writeFileSync(file, text);
  password = join(desk.home().folder, 'password');
  writeFileSync(password, 'hush-hush-hush\n', { mode: 0o600 });
});

afterAll(async () => {
  for (const [server, home] of started) {
    home.remove();
    await server.stop();
  }
});

/** A user at a new server. */
async function homeAt(inventory: string, ...options: string[]): Promise<Home> {
  const server = await startServerProcess(['--speed', '0', '--inventory', inventory, ...options]);
  const home = makeHome(server);
  started.push([server, home]);
  return home;
}

const apply = (home: Home, ...words: string[]) =>
  home.runHere(['apply', file, '--yes', '--secret', `*=@${password}`, ...words]);

const exportSite = async (home: Home) => parse((await home.runHere(['export'])).stdout) as unknown;

/** Paths of the collections in a definition: `/vms/nics`. */
function collectionsIn(items: unknown, path: string, found: Set<string>): Set<string> {
  if (!Array.isArray(items) || items.length === 0) return found;
  found.add(path);
  for (const item of items) {
    if (typeof item !== 'object' || item === null) continue;
    for (const [name, value] of Object.entries(item))
      collectionsIn(value, `${path}/${name}`, found);
  }
  return found;
}

/** Collections that the reference server lacks, or whose content is trivial. */
const untried = [
  '/vms/cdroms',
  '/vms/hostdevices',
  '/templates/mediateddevices',
  '/templates/watchdogs',
  '/datacenters/iscsibonds/storageserverconnections',
  '/groups/tags',
];

describe('an export', () => {
  it('has everything that definitions support, and no secret', () => {
    const found = new Set<string>();
    const document: unknown = parse(text);
    for (const [name, items] of Object.entries(document ?? {})) {
      collectionsIn(items, `/${name}`, found);
    }
    const plain = Object.keys(writtenCollections).map((path) => path.replaceAll(/\/\{\w+\}/g, ''));
    expect(plain.filter((path) => !found.has(path)).sort()).toEqual([...untried].sort());
    expect(text).not.toMatch(/hush|aHVzaA|href|_id: [0-9a-f]{8}-/);
  });

  it('preserves names that look like another type', () => {
    const { vms } = parse(text) as { vms: { name: unknown; description?: string }[] };
    expect(vms.map(({ name }) => name)).toEqual(expect.arrayContaining(['007', 'null', 'yes']));
    expect(vms.find(({ name }) => name === '007')?.description).toBe('żółw 🐢 "quoted": x');
  });

  it('is the same in JSON', async () => {
    expect(JSON.parse(await desk.must('export', '-o', 'json'))).toEqual(parse(text));
  });

  it('has no difference to its site', async () => {
    const { code, stdout } = await desk.run(['diff', '-f', '-', '--exit-code'], text);
    expect([code, stdout]).toEqual([0, '']);
  });

  it('lists all missing secrets before the first request', async () => {
    const home = await homeAt('empty');
    const { code, stderr } = await home.runHere(['apply', file, '--yes']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(' secrets are missing; nothing was sent'),
    ]);
    const names = [...text.matchAll(/secret: (.*)/g)].map(([, name = '']) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(stderr).toContain(name);
    expect((await home.runHere(['hosts', 'list', '-o', 'json'])).stdout.trim()).toBe('[]');
    const hint = /VMCTL_SECRET_\w+/.exec(stderr)?.[0] ?? '';
    const other = await home.runHere(['apply', file, '--yes'], { [hint]: 'x' });
    expect([other.code, other.stderr.split('\n').length]).toEqual([
      2,
      stderr.split('\n').length - 1,
    ]);
  });

  it.each([
    [['--secret', 'x'], '--secret: not in the form NAME=@FILE'],
    [['--secret', 'hosts/host9/root_password=@x'], 'the definition has no such placeholder'],
    [['--secret', 'hosts/host1/root_password=@/nowhere'], '--secret: cannot read "/nowhere": '],
  ])('refuses %j', async (words, message) => {
    const home = await homeAt('empty');
    const { code, stderr } = await home.runHere(['apply', file, '--yes', ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('creates the same site on an empty server; a second run changes nothing', async () => {
    const home = await homeAt('empty');
    const { code, stderr } = await apply(home);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/(\d+) of \1 done\n$/)]);
    expect(await exportSite(home)).toEqual(parse(text));
    const again = await home.runHere(['apply', file], { VMCTL_READ_ONLY: '1' });
    expect([again.code, again.stdout, again.stderr]).toEqual([0, '', 'no differences\n']);
    const diff = await home.runHere(['diff', file, '--exit-code']);
    expect([diff.code, diff.stdout]).toEqual([0, '']);
    // The temporary VMs of templates are deleted.
    expect((await home.runHere(['vms', 'list', '-o', 'name'])).stdout).not.toContain('vmctl-');
  });

  it('works through a pipe, as a process in another folder, in JSON', async () => {
    const home = await homeAt('empty');
    mkdirSync(join(home.folder, 'else where'));
    const { code } = await home.run(
      ['apply', '-f', '-', '--yes', '--secret', `*=@${password}`],
      { PWD: join(home.folder, 'else where') },
      await desk.must('export', '-o', 'json'),
    );
    expect(code).toBe(0);
    expect(await exportSite(home)).toEqual(parse(text));
  });

  it('is a valid inventory of a server', async () => {
    const home = await homeAt(file);
    expect(await exportSite(home)).toEqual(parse(text));
    const { code, stdout } = await home.runHere(['diff', file]);
    expect([code, stdout]).toEqual([0, '']);
  });
});

describe('a failure during apply', () => {
  it('does not stop independent objects, and the next run completes the rest', async () => {
    const home = await homeAt(
      'empty',
      '--fault',
      'operation=add,type=storage_domain,name=cold,times=1',
    );
    const { code, stderr } = await apply(home);
    expect(code).toBe(9);
    expect(stderr).toContain('storagedomains/cold: ');
    expect(stderr).toContain(
      'skipped: datacenters/south/storagedomains/cold depends on storagedomains/cold',
    );
    expect(stderr).toMatch(/vmctl: \d+ of \d+ done, 1 failed, \d+ skipped\nhint: /);
    expect(stderr).not.toContain('skipped: vms/007');
    const again = await apply(home);
    expect([again.code, again.stderr]).toEqual([0, expect.stringMatching(/(\d+) of \1 done\n$/)]);
    const last = await home.runHere(['apply', file], { VMCTL_READ_ONLY: '1' });
    expect([last.code, last.stderr]).toEqual([0, 'no differences\n']);
  });

  it('exits with its own code if nothing changed', async () => {
    const home = await homeAt('empty', '--fault', 'operation=add,type=tag,status=409');
    const tags = join(home.folder, 'tags.yaml');
    writeFileSync(tags, 'tags: [{ name: one }, { name: two, parent: one }]\n');
    const { code, stderr } = await home.runHere(['apply', tags, '--yes']);
    expect(code).toBe(6);
    expect(stderr).toContain('skipped: tags/two depends on tags/one');
    expect(stderr).toContain('0 of 2 done, 1 failed, 1 skipped');
  });
});

describe('two concurrent runs', () => {
  it('report objects created by the other, and create the rest on the next run', async () => {
    const home = await homeAt('empty');
    const runs = await Promise.all(
      [1, 2].map(() => home.run(['apply', file, '--yes', '--secret', `*=@${password}`])),
    );
    for (const { code, stderr } of runs) {
      expect([0, 9]).toContain(code);
      if (code === 9) expect(stderr).toContain(': created by another client in the meantime');
    }
    const { code } = await apply(home);
    expect(code).toBe(0);
    const last = await home.runHere(['apply', file], { VMCTL_READ_ONLY: '1' });
    expect([last.code, last.stderr]).toEqual([0, 'no differences\n']);
  });
});
