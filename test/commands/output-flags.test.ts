/** Flags of the output with every command and every format: they change the output, or are refused. */
import { describe, expect, it } from 'vitest';
import { type Command, nameOf } from '../../src/cli/args/command.ts';
import { nounModules } from '../../src/cli/modules.generated.ts';
import { formats } from '../../src/cli/session/settings.ts';
import { collectionsOf, modelNouns } from '../../src/cli/verbs/collections.ts';
import { useDesk } from './support/desk.ts';

const desk = useDesk();

/** Nouns whose lists need no parent. */
const nouns = modelNouns().filter((noun) =>
  collectionsOf(noun).some(({ parents }) => parents.length === 0),
);
const others = [['--no-headers'], ['--csv-safe'], ['--utc']];
const flags = [['--columns', 'x=id'], ...others];
/** Where there is nothing to change, the output is the same: no formulas, no times. */
const mayChangeNothing = new Set(['--csv-safe', '--utc']);

async function problemsOf(words: readonly string[], column = 'id'): Promise<string[]> {
  const problems: string[] = [];
  for (const format of formats) {
    const plain = await desk.run([...words, '-o', format]);
    if (plain.code !== 0 && plain.code !== 2) problems.push(`-o ${format}: ${plain.stderr}`);
    if (plain.code !== 0 || plain.stdout.trim() === '' || plain.stdout.trim() === '[]') continue;
    for (const flag of [['--columns', `x=${column}`], ...others]) {
      const { code, stdout, stderr } = await desk.run([...words, '-o', format, ...flag]);
      const isRefused =
        code === 2 &&
        /has no effect with -o|cannot change it|it prints one object|there is no such column/.test(
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
    expect(await problemsOf([noun, 'list'])).toEqual([]);
  });

  it('of vmctl vms get', async () => {
    expect(await problemsOf(['vms', 'get', 'vm-01'])).toEqual([]);
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

/** By what commands print, the flags that they have to refuse; those that decide by their arguments are below. */
const refusedBy: Readonly<Record<string, readonly (readonly string[])[]>> = {
  text: ofEach,
  nothing: ofEach.filter(([flag, value]) => flag !== '-o' || !/^jsonl?$/.test(String(value))),
  definition: ofEach.filter(
    ([flag, value]) => flag !== '-o' || !/^(json|yaml)$/.test(String(value)),
  ),
  report: [...flags, ['--sort', 'id'], ['--query', '[]']].map((words) => [...words, '-o', 'table']),
  object: [
    ['--sort', 'id'],
    ['--no-headers', '-o', 'table'],
  ],
};

/** The words of a command with all that it needs; nobody looks at the values before the flags are checked. */
function wordsOf(command: Command): readonly string[] {
  const needed = command.arguments.filter(({ notation }) => notation.startsWith('<'));
  const required = command.flags.filter((flag) => flag.required);
  return [
    ...nameOf(command).split(' '),
    ...required.flatMap(({ notation, choices }) => [
      String(/--[\w-]+/.exec(notation)),
      choices?.[0] ?? '1',
    ]),
    ...needed.map(({ choices }) => choices?.[0] ?? '1'),
  ];
}

describe('hand-made commands', () => {
  const declared = handMade.flatMap((command) =>
    typeof command.prints === 'string' && command.prints !== 'objects'
      ? [[nameOf(command), command, command.prints] as const]
      : [],
  );

  it.each(declared)('vmctl %s refuses what changes nothing', async (_, command, prints) => {
    for (const flag of refusedBy[prints] ?? []) {
      const words = [...wordsOf(command), ...flag];
      const { code, stdout, stderr } = await desk.run(words);
      expect([code, stdout], `${words.join(' ')}: ${stderr}`).toEqual([2, '']);
      expect(stderr, words.join(' ')).toMatch(/it prints|one form only|has no effect with -o/);
    }
  });

  /** By the names of those that only read: a column, and words with which they print something. */
  const samples: Readonly<Record<string, readonly [column: string, ...(readonly string[])[]]>> = {
    'api info': ['product_info.name', []],
    'api ping': ['status', []],
    commands: ['name', ['vms']],
    'config list': ['name', []],
    'context list': ['name', []],
    'context show': ['name', []],
    doctor: ['check', []],
    explain: ['name', ['vm'], ['vm.name']],
    history: ['id', [], ['1']],
    'search-help': ['noun', [], ['vms', 'name=web*']],
    top: ['name', ['vms', '--count', '1']],
    'vms ip': ['address', ['vm-01']],
    wait: ['id', ['vms/vm-01']],
    whoami: ['name', []],
  };
  /** Those for which more has to be set up than a test of flags is worth. */
  const elsewhere = ['serve requests', 'conformance', 'api', 'diff'];

  it.each(
    Object.entries(samples).flatMap(([name, [column, ...all]]) =>
      all.map((words) => [[...name.split(' '), ...words].join(' '), column] as const),
    ),
  )('vmctl %s', async (line, column) => {
    await desk.must('login', desk.server().ready.base_url);
    await desk.must('tags', 'create', '--name', 'for-the-history', '--if-needed');
    expect(await problemsOf(line.split(' '), column)).toEqual([]);
  });

  it('are all looked at: those that only read have words, or refuse every flag', () => {
    const isSeen = (one: Command) =>
      [...Object.keys(samples), ...elsewhere].includes(nameOf(one)) ||
      ['text', 'nothing', 'definition'].includes(String(one.prints));
    const unseen = handMade.filter((one) => one.onlyReads && !isSeen(one)).map(nameOf);
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
