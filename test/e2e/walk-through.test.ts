/** The four changes of CONTRIBUTING.md, applied to a copy of the tree and tested. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { ProjectCopy } from '../support/project-copy.ts';
import { projectRoot, type ServerProcess, startServerProcess } from '../support/server.ts';
import { apply, readChanges } from './support/walk-through.ts';

const copy = new ProjectCopy();
const { program } = copy;
const changes = readChanges(
  readFileSync(join(projectRoot, 'CONTRIBUTING.md'), 'utf8'),
  'Four changes, step by step',
);

/** Completion scripts by shell, as written by package.json. */
const completions = {
  bash: 'vmctl.bash',
  zsh: '_vmctl',
  fish: 'vmctl.fish',
  powershell: 'vmctl.ps1',
};

const local = (...args: readonly string[]) => copy.vmctl(...args);

/** Runs tests of the copy; fails with their output unless some ran and all passed. */
function expectPassed(
  project: string,
  files: readonly string[],
  more: readonly string[] = [],
): void {
  const { status, output } = copy.test(project, files, more);
  expect(status, output).toBe(0);
  expect(output).toMatch(/^ +Tests +[1-9]\d* passed/m);
}

let server: ServerProcess;
let home: Home;

/** Runs the vmctl of the copy against its server, which must succeed. */
async function vmctl(line: string): Promise<string> {
  const { code, stdout, stderr } = await home.run(line.split(' '));
  expect(code, `${line}\n${stderr}`).toBe(0);
  return stdout;
}

/** Tests affected by the changes: the model, and the commands and pages derived from it. */
const affected = ['test/model', 'test/cli/help', 'test/cli/parse', 'test/cli/verbs', 'test/search'];

/** Tests against servers of the copy: the cases of the changed kinds and commands per file. */
const affectedByName = {
  files: [
    ...['test/conformance/follow', 'test/operations/search-values'],
    ...['test/examples/help', 'test/examples/json-output'],
  ],
  names: [
    "^vm is found by '?note'?$",
    "^every field of '?vm'? is checked",
    "'(vms (list|get|update)|notes [a-z]+|greet)'$",
    'every link of every type of /vms/\\{vm\\}$',
  ].join('|'),
};

beforeAll(async () => {
  for (const change of [...changes.values()].flat()) apply(copy.root, change);
  copy.build();
  // Like `npm run reference`, `npm run man` and `npm run completions`, without further builds.
  for (const folder of ['docs/commands', 'man']) local('__reference', '.', folder);
  for (const [shell, file] of Object.entries(completions)) {
    writeFileSync(join(copy.root, 'completions', file), local('completion', shell));
  }
  server = await startServerProcess(['--speed', '0'], {}, program);
  home = makeHome(server, program);
}, 300_000);
afterAll(async () => {
  home.remove();
  await server.stop();
  copy.remove();
});

it('changes few handwritten files', () => {
  const counts = [...changes].map(([title, parts]) => [
    title,
    new Set(parts.map(({ file }) => file)).size,
  ]);
  expect(counts).toEqual([
    ['Add a searchable attribute with a column', 2],
    ['Add a nested collection', 4],
    ['Add an action with a state and an event', 2],
    ['Add a command', 1],
  ]);
});

it('passes the type check', () => {
  expect(copy.typeErrors()).toEqual([]);
}, 300_000);

it('passes lint', () => {
  expect(() => copy.run('npm', 'run', '--silent', 'lint')).not.toThrow();
}, 300_000);

it('passes the tests of the changed parts', () => {
  expectPassed('unit', affected);
}, 300_000);

it('passes the tests against servers for the changed kinds and commands', () => {
  const { files, names } = affectedByName;
  expectPassed('e2e', files, ['--testNamePattern', names]);
}, 300_000);

it('is a type error if a collection has no noun', () => {
  const note = join(copy.root, 'src/model/resources/note.ts');
  const declared = readFileSync(note, 'utf8');
  try {
    writeFileSync(note, declared.replace(/^ {2}commands: \{.*?^ {2}\},\n/ms, ''));
    expect(copy.typeErrors()).toEqual([
      expect.stringMatching(/^src\/model\/checked-names\.ts.*"notes"/),
    ]);
  } finally {
    writeFileSync(note, declared);
  }
}, 300_000);

describe('an attribute', () => {
  it('is settable, searchable, and in the table', async () => {
    await vmctl('vms create --name noted --cluster Default --template Blank --note backup');
    await vmctl('vms create --name plain --cluster Default --template Blank');
    expect(await vmctl('vms list --search note=backup -o name')).toBe('vms/noted\n');
    expect(await vmctl('vms list --search note=back* -o wide')).toMatch(
      /^NAME .* NOTE +ID\n *noted .* backup +\S+\n$/,
    );
    await vmctl('vms update noted --note restored');
    expect(await vmctl('vms get noted -o json')).toContain('"note": "restored"');
    expect(await vmctl('vms list --search note=backup -o name')).toBe('');
  });

  it('is documented', () => {
    expect(local('vms', 'update', '--help')).toMatch(/--note <text> +Note for users of the VM/);
  });
});

describe('a collection', () => {
  const of = '--vm plain';

  it('has all verbs', async () => {
    await vmctl(`notes create --name todo --text later ${of}`);
    expect(await vmctl(`notes list ${of}`)).toMatch(/^NAME +TEXT +ID\n *todo +later +\S+\n$/);
    expect(await vmctl(`notes get todo ${of} -o yaml`)).toContain('text: later');
    await vmctl(`notes update todo --text now ${of}`);
    expect(await vmctl(`notes list ${of} -o csv --columns text`)).toBe('text\nnow\n');
    await vmctl(`notes delete todo ${of}`);
    expect(await vmctl(`notes list ${of} -o name`)).toBe('');
  });

  it('is refused without required members, and with the name of another note', async () => {
    const { code, stderr } = await home.run(`notes create --name empty ${of}`.split(' '));
    expect(code).not.toBe(0);
    expect(stderr).toContain('--text');
    await vmctl(`notes create --name twice --text one ${of}`);
    const again = await home.run(`notes create --name twice --text two ${of}`.split(' '));
    expect(again.stderr).toContain('already used');
  });

  it('is a noun like all others', () => {
    expect(local('help', 'nouns')).toMatch(/^ {2}notes +Notes on VMs$/m);
    expect(local('notes', 'create', '--help')).toContain(
      'vmctl notes create --name todo --text TEXT --vm web01',
    );
    expect(local('__complete', 'notes', 'cr')).toContain('create\tCreate a note\n');
  });
});

describe('an action', () => {
  const of = '--vm plain';

  it('moves the object to its state and is written to the log', async () => {
    await vmctl(`notes create --name old --text x ${of}`);
    expect(await vmctl(`notes get old ${of} -o json`)).toContain('"status": "open"');
    await vmctl(`notes archive old ${of}`);
    expect(await vmctl(`notes get old ${of} -o json`)).toContain('"status": "archived"');
    expect(await vmctl('events list --limit 1 -o csv --columns code,description')).toBe(
      'code,description\n20001,Note old on VM plain was archived by admin@internal.\n',
    );
  });

  it('is refused in another state', async () => {
    const { code, stderr } = await home.run(`notes archive old ${of}`.split(' '));
    expect(code).not.toBe(0);
    expect(stderr).toContain('Cannot archive Note. It is already archived.');
  });

  it('can be waited for', async () => {
    await vmctl(`notes wait old ${of} --for status=archived`);
  });
});

describe('a command', () => {
  it('runs with its arguments and flags', () => {
    expect(local('greet', 'world')).toBe('GREETING\nHello, world.\n');
    expect(local('greet', 'world', '--words', 'Good day')).toBe('GREETING\nGood day, world.\n');
  });

  it('is listed, and has its own page', () => {
    expect(local('help', 'nouns')).toMatch(/^ {2}greet +Say hello$/m);
    expect(local('greet', '--help')).toContain('Usage: vmctl greet <name> [flags]');
  });

  it('is completed', () => {
    expect(local('__complete', 'gr')).toContain('greet\tSay hello\n');
    expect(local('__complete', 'greet', '--w')).toContain('--words\tGreeting (default Hello)\n');
  });

  it('is in the list of commands, the manual and the reference', () => {
    const [only] = (JSON.parse(local('commands', 'greet', '-o', 'json')) as { nouns: object[] })
      .nouns;
    expect(only).toMatchObject({ name: 'greet', commands: [{ name: 'greet', offline: true }] });
    local('__reference', '.');
    expect(existsSync(join(copy.root, 'man/vmctl-greet.1'))).toBe(true);
    expect(readFileSync(join(copy.root, 'docs/commands/greet.md'), 'utf8')).toContain(
      'vmctl greet world',
    );
  });
});
