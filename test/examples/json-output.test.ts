/** `-o json` with every command, with and without effect: stdout is one JSON value, stderr JSON lines. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandEntry } from '../../src/cli/help/command-manifest.ts';
import { projectRoot } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { before } from './before.ts';
import { asRun, needsShell } from './execution.ts';
import { allNouns, commandPages } from './shown.ts';
import { type ExamplesSite, startExamplesSite } from './site.ts';

let site: ExamplesSite;
let isSpoilt = false;

beforeAll(async () => {
  site = await startExamplesSite();
  process.chdir(site.folder);
});
afterAll(async () => {
  process.chdir(projectRoot);
  await site.stop();
});

const pages = selectSlowCases(
  await commandPages(await allNouns()),
  'test/examples/json-output.test.ts',
  ({ entry }) => entry.name,
).flatMap(({ entry, examples }) => {
  const [line] = examples.filter(
    (one) => !needsShell(one) && !/ -o | -f | --query |--watch|--tail| - | -$/.test(one),
  );
  return line === undefined ? [] : { name: entry.name, entry, line };
});

async function prepare({ name, noun }: CommandEntry): Promise<void> {
  if (isSpoilt) await site.restore();
  isSpoilt = true;
  for (const line of before[name] ?? before[noun] ?? []) {
    if (line.startsWith('= ')) await site.adopt(line.slice(2));
    else await site.must(`${line} --yes`);
  }
}

/** Returns the problem with the output of a line. */
async function findProblems(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await site.run(`${line} --yes`);
  const told = stderr.split('\n').filter((one) => one !== '');
  const wrong = told.filter((one) => parsed(one) === undefined);
  const isWrong = parsed(stdout) === undefined && !(code !== 0 && stdout === '');
  return [
    ...wrong.map((one) => `${line}: on stderr: ${one}`),
    ...(isWrong ? [`${line}: exit ${code}, on stdout: ${JSON.stringify(stdout)}`] : []),
  ];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('-o json', () => {
  it.each(pages)('vmctl $name', async ({ entry, line }) => {
    await prepare(entry);
    const patience = / wait\b/.test(line) ? ' --timeout 300ms' : '';
    const problems = await findProblems(`${asRun(line)} -o json${patience}`);
    if (entry.flags.some(({ flag }) => flag === '--if-needed')) {
      problems.push(...(await findProblems(`${asRun(line)} -o json --if-needed${patience}`)));
    }
    expect(problems).toEqual([]);
  });

  it('-q prints no empty line for an object without an id', async () => {
    await site.restore();
    const lines = ['backups run web01 kept', 'affinitygroups add-vm apart web01 --cluster Default'];
    for (const line of lines) {
      const { code, stdout, stderr } = await site.run(`${line} -q --yes`);
      expect([code, stdout], stderr).toEqual([0, expect.not.stringMatching(/^\n|\n\n/)]);
    }
  });
});
