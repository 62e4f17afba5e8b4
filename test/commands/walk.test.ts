/**
 * The walk over the command tree: every operation that the specification names or implies is done
 * by the built command against a running service; the request that it sends is the one meant.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listModelNouns } from '../../src/cli/verbs/collections.ts';
import { listVerbs } from '../../src/cli/verbs/derive-verbs.ts';
import { createExampleAt } from '../../src/cli/verbs/examples.ts';
import { deriveFlags } from '../../src/cli/verbs/flags.ts';
import { sampleId } from '../../src/model/notation/commands.ts';
import { specifiedOperations } from '../../src/specification/operations.ts';
import { before } from '../examples/before.ts';
import { type ExamplesSite, startExamplesSite } from '../examples/site.ts';
import { projectRoot } from '../support/server.ts';
import { createStep, refusals } from './support/walk.ts';

const operations = specifiedOperations.filter(({ tier }) => tier !== 'beyond' && tier !== 'daemon');

/** The command line for each operation, read off the command tree. */
const lines = new Map<string, string>([
  ['HEAD /', 'vmctl api HEAD /'],
  ['GET /', 'vmctl api GET /'],
]);
for (const noun of listModelNouns()) {
  for (const verb of listVerbs(noun)) {
    if (verb.kind === 'wait' || verb.isStatistics) continue;
    const flags = deriveFlags(verb);
    for (const place of verb.candidates) {
      const { http, path } = place.operation;
      lines.set(`${http} ${path}`, createExampleAt(verb, flags, place));
    }
  }
}

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

const cases = operations.map(({ http, path }) => `${http} ${path}`);

it('knows a command for all of them', () => {
  expect(cases).toHaveLength(398);
  expect(cases.filter((one) => !lines.has(one))).toEqual([]);
});

describe('the command line sends', () => {
  it.each(cases)('%s', async (operation) => {
    const [method = '', path = ''] = operation.split(' ');
    const step = createStep(operation, lines.get(operation) ?? '');
    const [, noun = '', verb = ''] = step.line.split(' ');
    const prepared = step.before ?? before[`${noun} ${verb}`] ?? before[noun] ?? [];
    const changes = method !== 'GET' && method !== 'HEAD';
    if (isSpoilt) await site.restore();
    isSpoilt = changes || prepared.length > 0 || step.maker !== undefined;
    for (const one of prepared) {
      if (one.startsWith('= ')) await site.adopt(one.slice(2));
      else await site.must(`${one} --yes`);
    }
    const id = step.maker && (await site.must(`${step.maker} --yes -o id`)).trim();
    const line = id ? step.line.replace(sampleId, id) : step.line;
    const { code, stdout, stderr } = await site.run(`${line} --yes --debug`);
    const [refused, says] = refusals[operation] ?? [0, ''];
    const pattern = path.replaceAll(/\{\w+\}/g, '[^/ ?]+').replace(/^\/$/, '');
    expect(stderr).toMatch(new RegExp(`${method} \\S*/api${pattern}/?(\\?\\S*)?\\s`));
    expect(code, `${line}: ${stderr}`).toBe(refused);
    expect(stderr).toContain(says);
    if (!changes || code !== 0) return;
    // Every result is printed; a row of dashes has no information.
    const told = stderr.replaceAll(/^(debug: .*| .*|warning: .*)\n/gm, '');
    expect(stdout + told, line).toMatch(/[a-z]/i);
    expect(stdout, line).not.toMatch(/^-( +-)*$/m);
    // Flags of the output that would have changed nothing are refused before anything is sent.
    if (/^no \w+ found$/m.test(stderr)) return;
    const idle = ['--sort id', ...(stdout === '' ? ['--no-headers', '--columns id'] : [])];
    for (const flag of idle) {
      const again = await site.run(`${line} --yes ${flag}`);
      expect([again.code, again.stdout], `${line} ${flag}: ${again.stderr}`).toEqual([2, '']);
      expect(again.stderr).toMatch(
        /has no effect with -o|it prints (?:one object|nothing)|unknown column/,
      );
    }
  });
});
