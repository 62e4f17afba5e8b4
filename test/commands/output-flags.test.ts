/** Flags of the output with every list, every get and every format: they change the output, or are refused. */
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/cli/session/settings.ts';
import { collectionsOf, modelNouns } from '../../src/cli/verbs/collections.ts';
import { useDesk } from './support/desk.ts';

const desk = useDesk();

/** Nouns whose lists need no parent. */
const nouns = modelNouns().filter((noun) =>
  collectionsOf(noun).some(({ parents }) => parents.length === 0),
);
const flags = [['--columns', 'x=id'], ['--no-headers'], ['--csv-safe'], ['--utc']];
/** Where there is nothing to change, the output is the same: no formulas, no times. */
const mayChangeNothing = new Set(['--csv-safe', '--utc']);
/** Details of one object have no headers. */
const ofOne = new Set([...mayChangeNothing, '--no-headers']);

async function problemsOf(
  words: readonly string[],
  exempt: ReadonlySet<string> = mayChangeNothing,
): Promise<string[]> {
  const problems: string[] = [];
  for (const format of formats) {
    const plain = await desk.run([...words, '-o', format]);
    if (plain.code !== 0 || plain.stdout.trim() === '' || plain.stdout.trim() === '[]') continue;
    for (const flag of flags) {
      const { code, stdout, stderr } = await desk.run([...words, '-o', format, ...flag]);
      const isRefused = code === 2 && /has no effect with -o|cannot change it/.test(stderr);
      const isSame = code === 0 && stdout === plain.stdout;
      const isAllowed = exempt.has(flag[0] ?? '') && code === 0;
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
    expect(await problemsOf(['vms', 'get', 'vm-01'], ofOne)).toEqual([]);
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
