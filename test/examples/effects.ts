/** Required effects of examples of generic verbs, checked with other commands. */
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { CommandEntry } from '../../src/cli/help/command-manifest.ts';
import { domainId, sampleId } from '../../src/model/notation/commands.ts';
import { type ExamplesSite, splitWords } from './site.ts';

interface Words {
  /** Returns the arguments after noun and verb, before the first flag. */
  readonly refs: readonly string[];
  readonly flags: ReadonlyMap<string, string>;
}

function taken(example: string): Words {
  const words = splitWords(example).slice(3);
  const at = words.findIndex((word) => word.startsWith('-'));
  const refs = at < 0 ? words : words.slice(0, at);
  const flags = new Map<string, string>();
  words.forEach((word, index) => {
    if (word.startsWith('--')) flags.set(word, words[index + 1] ?? '');
  });
  return { refs, flags };
}

/** Lists that the stand-in has nothing for, and why. */
const empty: Readonly<Record<string, string>> = {
  'clusterfeatures list': 'the cluster levels have no further features',
  'enabledfeatures list': 'the cluster levels have no further features',
  'externalnetworkproviders list': 'no cluster has one from the start',
  'externalnetworkproviderconfigurations list': 'hosts have none',
};

type Check = (stdout: string, get: Get, example: string) => Promise<void> | void;
type Get = (words: string) => ReturnType<ExamplesSite['run']>;

/** Checks by command, or by example if it differs from other verbs of its name. */
const own: Readonly<Record<string, Check>> = {
  'diskattachments delete': async (_, get) => {
    // The command deletes the copy of a template's disk on that storage domain, not the disk.
    const { stdout } = await get(`disks get ${sampleId} -o json`);
    const { storage_domains: left } = JSON.parse(stdout) as { storage_domains: { id: string }[] };
    expect(left.map(({ id }) => id)).toEqual([expect.not.stringMatching(domainId)]);
  },
  'glusterbricks delete': async (_, get) => {
    const { stdout } = await get('glusterbricks list --cluster Default --volume vol1 -o json');
    expect(JSON.parse(stdout)).toHaveLength(1);
  },
  // The service answers with bare references: their ids are all there is to show.
  'affinitylabels list-vms': (stdout) => expect(stdout).toMatch(/^ID\n[0-9a-f-]{36}\n$/),
  'externalvmimports create': async (_, get) => {
    expect((await get('vms get db01')).code).toBe(0);
  },
  "vmctl api POST /bookmarks -F name=stopped -F 'value=Vms: status=down'": async (_, get) => {
    expect((await get('bookmarks get stopped -o json')).stdout).toContain('Vms: status=down');
  },
  'vmctl api GET /vms -F search=status=up -F max=5 -F follow=nics': (stdout) => {
    const { vm } = JSON.parse(stdout) as { vm: { status: string; nics: object }[] };
    for (const one of vm) expect(one).toMatchObject({ status: 'up', nics: expect.any(Object) });
    expect(vm.length).toBeGreaterThan(0);
  },
  'vmctl vms create web --count 3 --cluster Default --template debian12 --start': async (
    _,
    get,
  ) => {
    const { stdout } = await get("vms list --search 'name=web-* and status=up' -o name");
    expect(stdout).toBe('vms/web-1\nvms/web-2\nvms/web-3\n');
  },
  'vmctl vms ip web01': (stdout) => expect(stdout).toMatch(/^10(\.\d+){3}\n$/),
  'vmctl vms ip web01 --wait --wait-timeout 5m': (stdout) => {
    expect(stdout).toMatch(/^10(\.\d+){3}\n$/);
  },
  'vmctl vms ip web01 -o json': (stdout) => {
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'web01', version: 'v4' }]);
  },
  'vmctl api GET /vms': (stdout) => {
    expect(JSON.parse(stdout)).toHaveProperty('vm');
  },
  'vmctl api GET /events --paginate': (stdout) => {
    expect((JSON.parse(stdout) as { event: object[] }).event.length).toBeGreaterThan(100);
  },
  'vmctl api info -o json': (stdout) => {
    expect(JSON.parse(stdout)).toHaveProperty('product_info.version.major');
  },
  'vmctl top hosts': (stdout) => {
    expect(stdout).toMatch(/^TIME +NAME +STATUS +CPU/);
    expect(stdout).toMatch(/node1 +up +\d/);
  },
  'vmctl top vms --by memory --limit 10': (stdout) => {
    const [first = '', ...rows] = stdout.trim().split('\n');
    expect(first).toMatch(/^TIME +NAME +STATUS +CPU +MEMORY/);
    const memory = rows.map((row) => Number(row.split(/ +/)[4]));
    expect(memory).toEqual([...memory].sort((a, b) => b - a));
    expect(memory.length).toBeGreaterThan(0);
  },
  'vmctl top vms --count 3 --interval 10s -o jsonl': (stdout) => {
    const times = stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as Look).time);
    expect(new Set(times).size).toBe(3);
  },
};

interface Look {
  readonly time: string;
}

/** Fails unless the output is in the format that the example asks for, and the work is done. */
export async function expectEffect(
  site: ExamplesSite,
  entry: CommandEntry,
  example: string,
  stdout: string,
): Promise<void> {
  expectFormat(example, stdout);
  const { refs, flags } = taken(example);
  const parents = entry.flags.filter(({ section }) => section === 'parents');
  const place = parents.flatMap(({ flag }) => (flags.has(flag) ? [flag, flags.get(flag)] : []));
  const get = (ref: string) =>
    site.run(['vmctl', entry.noun, 'get', `'${ref}'`, ...place, '-o', 'json'].join(' '));
  const { verb } = entry;
  const check = own[example] ?? own[entry.name];
  if (check) {
    await check(stdout, (words) => site.run(`vmctl ${words}`), example);
    return;
  }
  if (verb === 'list' && !example.includes('--search') && !(entry.name in empty)) {
    expect(stdout.trim(), `${example}: nothing is listed`).not.toMatch(/^(\[\])?$/);
  }
  const takesName = entry.arguments.some(({ name: word }) => word === 'name');
  const name = flags.get('--name') ?? (takesName ? refs[0] : undefined);
  if (verb === 'create' && name !== undefined) {
    const { code, stderr } = await get(name);
    expect(code, `${example}: ${stderr}`).toBe(0);
  }
  if (verb === 'delete') {
    const { code } = await get(refs[0] ?? '');
    expect(code, `${example}: it is still there`).toBe(3);
  }
  if (verb === 'update') {
    for (const attribute of ['description', 'comment']) {
      const text = flags.get(`--${attribute}`);
      if (text === undefined) continue;
      const { stdout: after } = await get(refs[0] ?? '');
      expect(JSON.parse(after), example).toMatchObject({ [attribute]: text });
    }
  }
}

function expectFormat(example: string, stdout: string): void {
  const [, format] = / -o (\w+)/.exec(example) ?? [];
  if (format === 'json') expect(() => JSON.parse(stdout), example).not.toThrow();
  if (format === 'yaml') expect(parse(stdout), example).toBeTypeOf('object');
  if (format === 'jsonl') {
    for (const line of stdout.trim().split('\n')) {
      expect(() => JSON.parse(line), example).not.toThrow();
    }
  }
}
