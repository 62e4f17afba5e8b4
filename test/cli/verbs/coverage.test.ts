/** The command line has every operation of the model, and help for all of it. */
import { describe, expect, it } from 'vitest';
import { findNoun, nouns } from '../../../src/cli/args/catalog.ts';
import type { NounEntry } from '../../../src/cli/help/command-manifest.ts';
import { listModelNouns } from '../../../src/cli/verbs/collections.ts';
import { findVerb, listVerbs } from '../../../src/cli/verbs/derive-verbs.ts';
import { deriveFlags } from '../../../src/cli/verbs/flags.ts';
import { memberVerbs } from '../../../src/model/derive/commands.ts';
import { specifiedOperations } from '../../../src/specification/operations.ts';
import { vmctl } from '../support/run.ts';

const apiNouns = nouns.filter((noun) => noun.api);

describe('nouns', () => {
  it('are those of the model; collections of members have verbs of their owner instead', () => {
    const members = Object.keys(memberVerbs).map((path) => path.slice(path.lastIndexOf('/') + 1));
    const known = new Set([...nouns.map(({ name }) => name), ...members]);
    expect(listModelNouns().filter((noun) => !known.has(noun))).toEqual([]);
    const made = new Set(listModelNouns());
    expect(apiNouns.filter(({ name }) => !made.has(name))).toEqual([]);
  });

  it('have names and aliases that mean one thing only', () => {
    for (const noun of nouns) {
      for (const word of [noun.name, ...noun.aliases]) expect(findNoun(word)?.name).toBe(noun.name);
    }
  });

  it.each([
    ['vm', 'vms'],
    ['storage-domain', 'storagedomains'],
    ['SD', 'storagedomains'],
    ['scheduling-policy', 'schedulingpolicies'],
    ['qos', 'qoss'],
    ['data_center', 'datacenters'],
    ['isos', 'files'],
    ['perms', 'permissions'],
  ])('%s is %s', (word, name) => {
    expect(findNoun(word)?.name).toBe(name);
  });
});

describe('verbs', () => {
  it('have words that mean one verb only', () => {
    for (const { name } of apiNouns) {
      const words = listVerbs(name).flatMap((verb) => [verb.name, ...verb.aliases]);
      expect(words).toHaveLength(new Set(words).size);
    }
  });

  it.each([
    ['vms', 'rm', 'delete'],
    ['storagedomains', 'rm', 'delete'],
    ['storagedomains', 'maintenance', 'deactivate'],
    ['permissions', 'create', 'grant'],
    ['diskattachments', 'add', 'attach'],
    ['cdroms', 'update', 'change'],
    ['hosts', 'spm', 'force-select-spm'],
    ['clusters', 'reset-emulated-machine', 'reset-emulated-machine'],
    ['hostnics', 'update-virtual-functions-configuration', 'set-virtual-functions'],
    ['events', 'tail', 'list'],
  ])('%s %s is %s', (noun, word, verb) => {
    expect(findVerb(noun, word)?.name).toBe(verb);
  });

  it('have flags whose names mean one flag only', () => {
    for (const { name } of apiNouns) {
      for (const verb of listVerbs(name)) {
        const names = deriveFlags(verb).flags.flatMap((flag) => flag.names);
        expect(names, `${name} ${verb.name}`).toHaveLength(new Set(names).size);
      }
    }
  });
});

interface Tree {
  readonly nouns: readonly NounEntry[];
  readonly global_flags: readonly { readonly flag: string; readonly values?: readonly string[] }[];
  readonly exit_codes: readonly { readonly code: number }[];
}

async function tree(...words: readonly string[]): Promise<Tree> {
  const result = await vmctl(['commands', ...words, '-o', 'json']);
  expect(result.stderr).toBe('');
  return JSON.parse(result.stdout) as Tree;
}

describe('the list of commands', () => {
  it('has a command for each of the 895 operations of the API', async () => {
    const operations = specifiedOperations.filter(({ tier }) => tier !== 'daemon');
    expect(operations).toHaveLength(895);
    const { nouns: entries } = await tree();
    const calls = entries.flatMap(({ commands }) => commands.flatMap((one) => one.calls));
    const reached = new Set(calls.map(({ method, path }) => `${method} ${path}`));
    expect(
      operations.map(({ http, path }) => `${http} ${path}`).filter((one) => !reached.has(one)),
    ).toEqual([]);
  });

  it('has every noun, and tells each verb in full', async () => {
    const { nouns: entries, global_flags, exit_codes } = await tree();
    expect(entries.map(({ name }) => name)).toEqual(nouns.map(({ name }) => name));
    for (const { commands } of entries) {
      expect(commands.length).toBeGreaterThan(0);
      for (const { name, purpose, calls, examples, flags } of commands) {
        expect(purpose, name).not.toBe('');
        for (const example of examples) expect(example).toMatch(/\b(vmctl|curl) /);
        const known = flags.map(({ flag }) => flag);
        expect(known, name).toHaveLength(new Set(known).size);
        for (const { parents } of calls)
          expect(known, name).toEqual(expect.arrayContaining([...parents]));
        for (const { type, values, flag } of flags) {
          if (/\benum /.test(type)) expect(values?.length, `${name} ${flag}`).toBeGreaterThan(0);
        }
      }
    }
    expect(exit_codes.map(({ code }) => code)).toEqual(expect.arrayContaining([0, 2, 7, 12, 130]));
    expect(global_flags).toContainEqual(
      expect.objectContaining({ flag: '--output', aliases: ['-o'], values: expect.any(Array) }),
    );
  });

  it('gives types, values and parents', async () => {
    const { nouns: entries } = await tree('nics');
    expect(entries).toHaveLength(1);
    const create = entries[0]?.commands.find(({ verb }) => verb === 'create');
    expect(create?.flags).toContainEqual(
      expect.objectContaining({ flag: '--vm', type: 'ref vm', section: 'parents' }),
    );
    expect(create?.flags).toContainEqual(
      expect.objectContaining({ flag: '--interface', values: expect.arrayContaining(['virtio']) }),
    );
    expect(create?.calls).toContainEqual({
      operation: 'add',
      method: 'POST',
      path: '/vms/{vm}/nics',
      parents: ['--vm'],
    });
  });

  it('is a table for people, and knows the verbs that the model does not describe', async () => {
    const result = await vmctl(['commands', 'disks']);
    expect(result.stdout).toMatch(/^NAME +ALIASES +PURPOSE\n/);
    expect(result.stdout).toContain('disks upload');
    expect((await vmctl(['commands', 'disk', 'context', '-o', 'name'])).stdout).toContain(
      'commands/context use\n',
    );
  });

  it('refuses a noun that there is not, with near ones', async () => {
    const result = await vmctl(['commands', 'vmz']);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain('did you mean vms');
  });
});

describe('help', () => {
  it('explains every noun', async () => {
    for (const { name } of nouns) {
      if (name === 'help' || name === 'serve') continue;
      const result = await vmctl([name, '--help']);
      expect(result.code, name).toBe(0);
      expect(result.stderr, name).toBe('');
      expect(result.stdout, name).toContain('Usage: ');
    }
  });

  it('explains every verb, with its call', async () => {
    for (const { name } of apiNouns) {
      for (const verb of listVerbs(name)) {
        const result = await vmctl([name, verb.name, '--help']);
        expect(result.code, `${name} ${verb.name}`).toBe(0);
        expect(result.stdout).toContain('Examples:\n');
        expect(result.stdout).toContain('HTTP:\n');
        expect(result.stdout.replace('undefined, ', '')).not.toContain('undefined');
      }
    }
  });

  it.each(['flags', 'environment', 'nouns', 'output', 'errors', 'exit-codes', 'references'])(
    'has the topic %s',
    async (topic) => {
      const result = await vmctl(['help', topic]);
      expect(result.code).toBe(0);
      expect(result.stdout.length).toBeGreaterThan(200);
    },
  );

  it('is the answer to a noun alone, and to nothing at all', async () => {
    expect((await vmctl(['vms'])).stdout).toContain('Usage: vmctl vms <verb>');
    expect((await vmctl([])).stdout).toContain('Usage: vmctl <noun> <verb>');
    expect((await vmctl(['help', 'vms', 'start'])).stdout).toContain('POST /vms/{vm}/start');
  });

  it('names the page of a verb in full', async () => {
    expect((await vmctl(['nics', 'get', '--help'])).stdout).toBe(
      `Show a NIC.\n\nUsage: vmctl nics get <nic...> [flags]\n\nExamples:\n  vmctl nics get nic1 --vm web01\n  vmctl nics get nic1 --vm web01 -o yaml\n\nArguments:\n  <nic...>  Names or ids; - for stdin\n\nParent:\n      --vm <ref>            Parent VM (name or id)\n      --snapshot <ref>      Parent snapshot (name or id)\n      --template <ref>      Parent template (name or id)\n      --instancetype <ref>  Parent instance type (name or id)\n      --on <kind/ref>       Parent object with its kind, for example vms/NAME\n\nFlags:\n      --follow <text>  Linked objects to include, separated by commas\n      --glob           Treat names as patterns: 'web*', 'db-?'\n      --parallel <n>   Number of objects to process at the same time, 1 to 16\n                       (default 4)\n\nHTTP:\n  GET /vms/{vm}/nics/{nic}\n  GET /vms/{vm}/snapshots/{snapshot}/nics/{nic}\n  GET /templates/{template}/nics/{nic}\n  GET /instancetypes/{instancetype}/nics/{nic}\n\nAliases: show. Flags of every command: vmctl help flags. Exit codes: vmctl help\nexit-codes.\n`,
    );
  });
});
