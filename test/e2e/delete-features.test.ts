/** Deletion of features: the project works without the folder and the line of each feature. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nouns } from '../../src/cli/args/catalog.ts';
import { parseFlagNotation } from '../../src/cli/args/parameters.ts';
import { createServeNoun } from '../../src/cli/commands/serve.ts';
import type { Feature } from '../../src/feature.ts';
import { features } from '../../src/features/index.ts';
import { makeHome } from '../support/command.ts';
import { ProjectCopy } from '../support/project-copy.ts';
import { startServerProcess } from '../support/server.ts';
import { hasChangesBelow, selectSlowCases } from '../support/slow-tests.ts';

const timeout = 300_000;
const copy = new ProjectCopy();
const list = join(copy.root, 'src/features/index.ts');
const complete = readFileSync(list, 'utf8');

/** Flags of `vmctl serve` without features. */
const coreFlags = createServeNoun([]).commands.flatMap(({ flags }) => flags);

/** Type check of the sources alone. */
const sourcesOnly = 'tsconfig.sources.json';

/** Tests of the core that run without features. */
const coreTests = {
  unit: ['test/cli/help', 'test/cli/parse', 'test/search'],
  e2e: ['test/commands/columns', 'test/operations/bookmarks'],
};

beforeAll(() => {
  writeFileSync(
    join(copy.root, sourcesOnly),
    JSON.stringify({ extends: './tsconfig.json', include: ['src'] }),
  );
});
afterAll(() => copy.remove());

/** Moves the folder of a feature away and deletes its line; returns a function that reverts both. */
function deleteFeature(name: string): () => void {
  const folder = join(copy.root, 'src/features', name);
  const aside = join(copy.root, `${name}.deleted`);
  const lines = readFileSync(list, 'utf8').split('\n');
  const rest = lines.filter((line) => !line.startsWith(`  ${name}: `));
  expect(rest).toHaveLength(lines.length - 1);
  writeFileSync(list, rest.join('\n'));
  renameSync(folder, aside);
  return () => {
    renameSync(aside, folder);
    writeFileSync(list, lines.join('\n'));
  };
}

/** Help, completion and manual pages must not mention anything that a feature adds. */
function expectUnmentioned({ commands = [], topics = {}, settings = {}, serve }: Feature): void {
  const nounPages = copy.vmctl('help', 'nouns');
  const flags = copy.vmctl('help', 'flags');
  const environment = copy.vmctl('help', 'environment');
  copy.vmctl('__reference', '.', 'man');
  const manual = (noun: string) => `vmctl-${noun}.1`;
  const manuals = readdirSync(join(copy.root, 'man'));
  for (const { name, doc, commands: verbs } of commands) {
    if (doc !== undefined) {
      expect(copy.vmctl('--help')).not.toMatch(new RegExp(`\\b${name}\\b`));
      expect(nounPages).not.toMatch(new RegExp(`^ {2}${name} `, 'm'));
      expect(copy.vmctl('__complete', name)).not.toMatch(new RegExp(`^${name}\t`, 'm'));
      expect(manuals).not.toContain(manual(name));
      continue;
    }
    const page = copy.vmctl(name, '--help');
    const offered = copy.vmctl('__complete', name, '');
    const text = readFileSync(join(copy.root, 'man', manual(name)), 'utf8').replaceAll('\\', '');
    for (const { verb = '' } of verbs) {
      expect(page).not.toMatch(new RegExp(`^ {2}${verb} `, 'm'));
      expect(offered).not.toMatch(new RegExp(`^${verb}\t`, 'm'));
      expect(text).not.toContain(`vmctl ${name} ${verb}`);
    }
  }
  for (const topic of Object.keys(topics)) {
    expect(copy.vmctl('--help')).not.toContain(topic);
    expect(copy.vmctl('__complete', 'help', '').split('\n')).not.toContain(`${topic}\t`);
  }
  const serveFlags = new Set(copy.vmctl('help', 'serve').match(/--[\w-]+/g));
  const offeredFlags = copy.vmctl('__complete', 'serve', '--');
  for (const { notation, doc } of serve?.flags ?? []) {
    const { long } = parseFlagNotation(notation);
    expect(offeredFlags).not.toContain(doc);
    // A feature may describe a flag of the core.
    if (coreFlags.some((one) => parseFlagNotation(one.notation).long === long)) continue;
    expect(serveFlags).not.toContain(long);
    expect(offeredFlags).not.toContain(`${long}\t`);
  }
  for (const { flags: notation, env } of Object.values(settings)) {
    if (notation !== undefined) expect(flags).not.toContain(notation.split(' ')[0]);
    if (env !== undefined) expect(environment).not.toContain(env);
  }
}

const selected = selectSlowCases(Object.keys(features), 'test/e2e/delete-features.test.ts');
const tested = Object.entries(features).filter(
  ([name]) => selected.includes(name) || hasChangesBelow(`src/features/${name}`),
);

describe.each(tested)('without the feature %s', (name, load) => {
  let restore: () => void;
  beforeAll(() => {
    restore = deleteFeature(name);
    copy.build();
  }, timeout);
  afterAll(() => restore());

  it(
    'the sources pass the type check',
    () => {
      expect(copy.typeErrors(sourcesOnly)).toEqual([]);
    },
    timeout,
  );

  it(
    'help, completion and the manual do not mention it',
    async () => {
      expectUnmentioned((await load()).default);
    },
    timeout,
  );
});

describe('without any feature', () => {
  beforeAll(() => {
    const names = Object.keys(features);
    for (const name of names) deleteFeature(name);
    rmSync(join(copy.root, 'test/features'), { recursive: true });
    copy.build();
    copy.vmctl('__reference', '.');
  }, timeout);
  afterAll(() => writeFileSync(list, complete));

  it(
    'sources, tests and benchmarks pass the type check',
    () => {
      expect(copy.typeErrors()).toEqual([]);
    },
    timeout,
  );

  it(
    'the layout of the sources is correct',
    () => {
      expect(() => copy.run(process.execPath, 'scripts/lint-layout.js')).not.toThrow();
    },
    timeout,
  );

  it('the nouns of the API and of the core remain', () => {
    const page = copy.vmctl('help', 'nouns');
    for (const { name } of nouns.filter(({ api }) => api)) {
      expect(page).toMatch(new RegExp(`^ {2}${name}\\s`, 'm'));
    }
    expect(page).toMatch(/^ {2}serve /m);
  });

  it(
    'commands run against the server',
    async () => {
      const server = await startServerProcess(['--speed', '0'], {}, copy.program);
      const home = makeHome(server, copy.program);
      try {
        for (const words of [
          ['vms', 'list'],
          ['tags', 'create', '--name', 'new'],
          ['tags', 'update', 'new', '--description', 'changed'],
          ['tags', 'delete', 'new', '--yes'],
        ]) {
          const { code, stderr } = await home.run(words);
          expect(code, stderr).toBe(0);
        }
      } finally {
        home.remove();
        await server.stop();
      }
    },
    timeout,
  );

  it.each(Object.entries(coreTests))(
    'tests of the core pass: %s',
    (project, files) => {
      const { status, output } = copy.test(project, files);
      expect(status, output).toBe(0);
    },
    timeout,
  );
});
