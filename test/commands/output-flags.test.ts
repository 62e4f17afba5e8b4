/** Flags of the output with every command and every format: they change the output, or are refused. */
import { describe, expect, it } from 'vitest';
import { type Command, formatCommandName } from '../../src/cli/args/command.ts';
import { nounModules } from '../../src/cli/noun-modules.ts';
import type { OutputKind } from '../../src/cli/session/output-kind.ts';
import { formats } from '../../src/cli/session/settings.ts';
import { listCollections, listModelNouns } from '../../src/cli/verbs/collections.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

/** Nouns whose lists need no parent. */
const nouns = listModelNouns().filter((noun) =>
  listCollections(noun).some(({ parents }) => parents.length === 0),
);
const others = [['--no-headers'], ['--csv-safe'], ['--utc']];
const flags = [['--columns', 'x=id'], ...others];
/** Formats in which the output remains the same: no formulas, no times. */
const mayChangeNothing = new Set(['--csv-safe', '--utc']);

async function findProblems(words: readonly string[], column = 'id'): Promise<string[]> {
  const problems: string[] = [];
  for (const format of formats) {
    const plain = await desk.run([...words, '-o', format]);
    if (plain.code !== 0 && plain.code !== 2) problems.push(`-o ${format}: ${plain.stderr}`);
    if (plain.code !== 0 || plain.stdout.trim() === '' || plain.stdout.trim() === '[]') continue;
    for (const flag of [['--columns', `x=${column}`], ...others]) {
      const { code, stdout, stderr } = await desk.run([...words, '-o', format, ...flag]);
      const isRefused =
        code === 2 &&
        /has no effect with -o|is not valid with -o raw|it prints (?:one object|nothing)|unknown column/.test(
          stderr,
        );
      const isSame = code === 0 && stdout === plain.stdout;
      const isAllowed = mayChangeNothing.has(flag[0] ?? '') && code === 0;
      if (code !== 0 && !isRefused) problems.push(`${flag} -o ${format}: ${code} ${stderr}`);
      if (isSame && !isAllowed && plain.stdout.split('\n').length > 2) {
        problems.push(`${flag} -o ${format}: the same output`);
      }
    }
  }
  return problems;
}

describe('output flags', () => {
  it.each(nouns)('of vmctl %s list', async (noun) => {
    expect(await findProblems([noun, 'list'])).toEqual([]);
  });

  it('of vmctl vms get', async () => {
    expect(await findProblems(['vms', 'get', 'vm-01'])).toEqual([]);
  });

  it.each(['json', 'jsonl', 'yaml'])('--columns selects members in %s', async (format) => {
    const words = ['vms', 'list', '--columns', 'name,cluster.name,cores=cpu.topology.cores'];
    const { code, stdout, stderr } = await desk.run([...words, '--limit', '1', '-o', format]);
    expect(code, stderr).toBe(0);
    const expected = { name: 'vm-01', cluster: 'Default', cores: 1 };
    if (format === 'yaml') expect(stdout).toBe('- name: vm-01\n  cluster: Default\n  cores: 1\n');
    else expect([JSON.parse(stdout)].flat()).toEqual([expected]);
  });

  it('--columns and --query together are refused', async () => {
    const words = ['vms', 'list', '--columns', 'name', '--query', '[].name'];
    expect(await desk.run(words)).toMatchObject({ code: 2 });
  });
});

const modules = await Promise.all(Object.values(nounModules).map((load) => load()));
const handMade = modules.flatMap(({ commands }) => commands);
const ofEach = [
  ...[...flags, ['--sort', 'id'], ['--query', '[]']],
  ...formats.map((format) => ['-o', format]),
];

/** Flags without an effect on text output, or on no output. */
const inTables = [...flags, ['--sort', 'id'], ['--query', '[]']].map((words) => [
  ...words,
  '-o',
  'table',
]);

/** Refused flags by kind of output. */
const refusedBy: Readonly<Partial<Record<OutputKind, readonly (readonly string[])[]>>> = {
  text: ofEach,
  nothing: ofEach.filter(([flag, value]) => flag !== '-o' || !/^jsonl?$/.test(String(value))),
  definition: ofEach.filter(
    ([flag, value]) => flag !== '-o' || !/^(json|yaml)$/.test(String(value)),
  ),
  report: inTables,
  object: [
    ['--sort', 'id'],
    ['--no-headers', '-o', 'table'],
  ],
  row: [
    ['--sort', 'id'],
    ['--csv-safe', '-o', 'table'],
  ],
  outcomes: inTables,
  outcome: [...inTables, ['--sort', 'id', '-o', 'json']],
  stream: [
    ['--sort', 'id'],
    ['--sort', 'id', '-o', 'json'],
    ['--no-headers', '-o', 'table'],
    ['--no-headers', '-o', 'json'],
  ],
  objects: [
    ['--csv-safe', '-o', 'table'],
    ['--no-headers', '-o', 'json'],
    ['--columns', 'id', '-o', 'xml'],
  ],
};

/** Arguments and flags that determine the kind of output, with the result. */
const variants: Readonly<Record<string, readonly (readonly [string, OutputKind])[]>> = {
  api: [
    ['info', 'object'],
    ['ping', 'object'],
  ],
  'backups restore': [
    ['folder', 'object'],
    ['folder --disks-only', 'objects'],
  ],
  'cdroms eject': [
    ['vm-01', 'outcome'],
    ['vm-01 vm-02', 'outcomes'],
  ],
  'clusters upgrade': [
    ['Default', 'report'],
    ['Default --upgrade-action start', 'outcome'],
  ],
  conformance: [['--html -', 'text']],
  'context trust': [
    ['', 'nothing'],
    ['--list', 'objects'],
  ],
  'disks download': [
    ['disk file', 'report'],
    ['disk -', 'nothing'],
  ],
  history: [
    ['', 'objects'],
    ['1', 'object'],
  ],
  'vms console': [
    ['vm-01', 'report'],
    ['vm-01 --file -', 'text'],
    ['vm-01 --serial', 'text'],
  ],
  'vms screenshot': [
    ['vm-01', 'text'],
    ['vm-01 --file f.png', 'report'],
    ['vm-01 --file -', 'text'],
  ],
  'vms snapshot': [
    ['vm-01', 'row'],
    ['vm-01 vm-02', 'objects'],
    ['--all', 'objects'],
  ],
  wait: [
    ['vms/vm-01', 'outcome'],
    ['vms/vm-01 vms/vm-02', 'outcomes'],
  ],
};

/** The same for verbs of the model, which all decide so. */
const ofVerbs: Readonly<Record<string, OutputKind>> = {
  'events list --tail': 'stream',
  'events tail': 'stream',
  'vms get a': 'object',
  'vms get a b': 'objects',
  'vms get - ': 'objects',
  'vms wait a': 'outcome',
  'vms wait a b': 'outcomes',
  'vms delete a': 'outcome',
  'vms delete a b': 'outcomes',
  'vms delete --all': 'outcomes',
  'vms start a': 'row',
  'vms start a b': 'objects',
  'vms start a --no-wait': 'outcome',
  'vms update a --memory 1GiB': 'row',
  'tags create b': 'row',
  'tags assign a b --vm c': 'objects',
  'vms detach --all': 'objects',
  'nics activate a --vm b': 'outcome',
  'affinitylabels add-host a b': 'outcome',
  'affinitylabels add-host a b c': 'outcomes',
  'glustervolumes reset-option a b --cluster c': 'row',
  'glusterbricks create a:/b --cluster c --volume d': 'outcome',
  'graphicsconsoles remote-viewer-connection-file a --vm b': 'outcome',
  'vms ticket a': 'object',
  'hosts discover-iscsi a': 'objects',
};

/** Builds complete arguments for a command; the flags are checked before the values. */
function createArguments(command: Command): readonly string[] {
  const needed = command.arguments.filter(({ notation }) => notation.startsWith('<'));
  const required = command.flags.filter((flag) => flag.required);
  return [
    ...formatCommandName(command).split(' '),
    ...required.flatMap(({ notation, choices }) => [
      String(/--[\w-]+/.exec(notation)),
      choices?.[0] ?? '1',
    ]),
    ...needed.map(({ choices }) => choices?.[0] ?? '1'),
  ];
}

describe('hand-made commands', () => {
  const declared = handMade.flatMap((command) =>
    typeof command.prints === 'string'
      ? [[formatCommandName(command), command, command.prints] as const]
      : [],
  );

  it.each(declared)('vmctl %s refuses what changes nothing', async (_, command, prints) => {
    for (const flag of refusedBy[prints] ?? []) {
      const words = [...createArguments(command), ...flag];
      const { code, stdout, stderr } = await desk.run(words);
      expect([code, stdout], `${words.join(' ')}: ${stderr}`).toEqual([2, '']);
      expect(stderr, words.join(' ')).toMatch(/it prints|one form|has no effect with -o/);
    }
  });

  const decided = [
    ...Object.entries(variants).flatMap(([name, all]) =>
      all.map(([words, prints]) => [`${name} ${words}`.trim(), prints] as const),
    ),
    ...Object.entries(ofVerbs),
  ];

  it.each(decided)('vmctl %s prints %s, and refuses what changes nothing', async (line, prints) => {
    expect(refusedBy[prints]?.length).toBeGreaterThan(0);
    for (const flag of refusedBy[prints] ?? []) {
      const words = [...line.trim().split(' '), ...flag];
      const { code, stdout, stderr } = await desk.run(words);
      expect([code, stdout], `${words.join(' ')}: ${stderr}`).toEqual([2, '']);
      expect(stderr, words.join(' ')).toMatch(
        /it prints|one form|cannot change|has no effect with/,
      );
    }
  });

  it('has the variants of all commands that decide by their arguments', () => {
    const deciding = handMade
      .filter((one) => typeof one.prints === 'function')
      .map(formatCommandName);
    expect(Object.keys(variants).toSorted()).toEqual(deciding.toSorted());
  });

  it.each(['--columns x=id', '--sort id', '--no-headers', '-o csv', '-o xml', '--utc'])(
    'a dry run refuses %s: it prints requests',
    async (flag) => {
      const words = `tags create --name dry --dry-run ${flag}`.split(' ');
      const { code, stdout, stderr } = await desk.run(words);
      expect([code, stdout], stderr).toEqual([2, '']);
    },
  );

  /** Read-only commands by name: a column, and arguments with which they print something. */
  const samples: Readonly<Record<string, readonly [column: string, ...(readonly string[])[]]>> = {
    'alias list': ['name', []],
    'api info': ['product_info.name', []],
    'api ping': ['status', []],
    'auth token': ['token', []],
    'can-i': ['permit', ['start', 'vms/vm-01']],
    commands: ['name', ['vms']],
    'config list': ['name', []],
    'context list': ['name', []],
    'context show': ['name', []],
    doctor: ['check', []],
    explain: ['name', ['vm'], ['vm.name']],
    history: ['id', [], ['1']],
    'search-help': ['noun', [], ['vms', 'name=web*']],
    top: ['name', ['vms', '--count', '1']],
    version: ['client', []],
    'vms describe': ['name', ['vm-01']],
    'vms ip': ['address', ['vm-01']],
    'who-can': ['holder', ['start', 'vms/vm-01']],
    wait: ['id', ['vms/vm-01'], ['vms/vm-01', 'vms/vm-02']],
    whoami: ['name', []],
  };
  /** Commands that would need too much preparation for a test of flags. */
  const elsewhere = ['serve requests', 'conformance', 'api', 'diff'];
  /** Commands with the same code as `vms describe`. */
  const similar = ['disks', 'hosts', 'templates', 'networks', 'storagedomains'].map(
    (noun) => `${noun} describe`,
  );

  it.each(
    Object.entries(samples).flatMap(([name, [column, ...all]]) =>
      all.map((words) => [[...name.split(' '), ...words].join(' '), column] as const),
    ),
  )('vmctl %s', async (line, column) => {
    await desk.must('login', desk.server().ready.base_url);
    await desk.must('tags', 'create', '--name', 'for-the-history', '--if-needed');
    await desk.must('alias', 'set', 'on', 'vms start $1');
    expect(await findProblems(line.split(' '), column)).toEqual([]);
  });

  it('are all tested: read-only ones have arguments, or refuse every flag', () => {
    const isSeen = (one: Command) =>
      [...Object.keys(samples), ...elsewhere, ...similar].includes(formatCommandName(one)) ||
      ['text', 'nothing', 'definition'].includes(String(one.prints));
    const unseen = handMade.filter((one) => one.onlyReads && !isSeen(one)).map(formatCommandName);
    expect(unseen).toEqual([]);
  });
});

describe('vmctl api', () => {
  const get = ['api', 'GET', '/vms'];

  it('selects with --query, page by page as well', async () => {
    const names = ['vm-01', 'vm-02', 'vm-03'];
    const query = ['--query', 'vm[].name'];
    for (const more of [[], ['--paginate', '-F', 'max=2']]) {
      const { stdout } = await desk.run([...get, ...query, ...more]);
      expect(JSON.parse(stdout)).toEqual(names);
    }
    expect((await desk.run([...get, ...query, '-o', 'csv'])).stdout).toBe(`${names.join('\n')}\n`);
  });

  it.each(formats)('-o %s prints the answer so, or is refused', async (format) => {
    const { code, stdout, stderr } = await desk.run([...get, '-o', format]);
    const expected: Partial<Record<string, RegExp>> = {
      json: /^\{\s*"vm"/,
      jsonl: /^\{.*"name":"vm-01".*\}\n\{/,
      yaml: /^vm:\n/,
      xml: /^<\?xml.*<vms>/s,
      raw: /^\{\s*"vm"/,
    };
    const pattern = expected[format];
    if (pattern) expect([code, stdout]).toEqual([0, expect.stringMatching(pattern)]);
    else expect([code, stderr]).toEqual([2, expect.stringContaining(`api -o ${format}`)]);
  });

  it.each([...flags, ['--sort', 'name']])('refuses %s', async (...flag) => {
    expect(await desk.run([...get, ...flag])).toMatchObject({ code: 2, stdout: '' });
  });
});
