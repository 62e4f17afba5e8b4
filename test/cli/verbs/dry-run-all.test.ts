/** A dry run of every changing command sends no changing request. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CommandEntry, NounEntry } from '../../../src/cli/help/command-manifest.ts';
import { getTag, listAllOperations } from '../../../src/model/index.ts';
import { startTlsServer, type TlsServer } from '../../support/tls-server.ts';
import { vmctl } from '../support/run.ts';

let server: TlsServer;
const changes: string[] = [];

const reading = listAllOperations()
  .filter(({ http }) => http === 'GET')
  .map(({ path, name, type }) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    isList: name === 'list',
    type,
  }));

const id = '00000000-0000-0000-0000-00000000000a';
const names = { name: 'x', alias: 'x', user_name: 'x', description: 'x' };
const object = { id, ...names, disk: { id, ...names } };

/** Service with one object of each kind. */
beforeAll(async () => {
  server = await startTlsServer((request, response) => {
    const path = new URL(request.url ?? '/', 'https://x').pathname.replace('/virt-app/api', '');
    const found = reading.find(({ pattern }) => pattern.test(path));
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      changes.push(`${request.method} ${path}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(found?.isList ? { [getTag(found.type)]: [object] } : object));
  });
});

afterAll(() => server.close());

/** Builds the arguments of a command, which name the one object everywhere. */
function createArguments({
  noun,
  verb = '',
  arguments: places,
  calls,
  flags,
}: CommandEntry): string[] {
  const call = calls.find(({ method }) => method !== 'GET') ?? calls[0];
  const word = (name: string) => (name === 'brick' ? 'x:/x' : name === 'option' ? 'x=x' : 'x');
  const named = places.filter(({ required }) => required).map(({ name }) => word(name));
  const optional = places.filter(({ required, name }) => !required && name !== 'command');
  const takesObject = call !== undefined && /\}(\/[a-z]+)?$/.test(call.path) && named.length === 0;
  if (takesObject && optional.length > 0) named.push('x');
  const settable = ['name', 'description', 'comment', 'value'].find((name) =>
    flags.some(({ flag, section }) => flag === `--${name}` && section === 'body'),
  );
  const change = verb === 'update' && settable !== undefined ? ['--set', `${settable}=y`] : [];
  const parents = (call?.parents ?? []).flatMap((flag) => [flag, 'x']);
  return [noun, verb, ...named, ...parents, ...change, '--yes'];
}

/** Tasks of many requests, which print a plan instead of requests. */
const ownPlans: ReadonlySet<string> = new Set(['clusters upgrade']);

it('sends nothing, and shows what it would send', async () => {
  const { stdout } = await vmctl(['commands', '-o', 'json']);
  const { nouns } = JSON.parse(stdout) as { nouns: readonly NounEntry[] };
  const changing = nouns
    .flatMap(({ commands }) => commands)
    // `edit` sends only what the user changes in an editor.
    .filter(({ verb }) => verb !== 'edit')
    .filter(({ calls }) => calls.some(({ method }) => method !== 'GET' && method !== 'HEAD'));
  expect(changing.length).toBeGreaterThan(300);
  const silent: string[] = [];
  for (const entry of changing) {
    const words = createArguments(entry);
    const result = await vmctl([...words, '--dry-run'], { env: server.env });
    expect(changes, words.join(' ')).toEqual([]);
    const shows = result.code === 0 && result.stdout.startsWith('DRY RUN, nothing sent: ');
    if (!shows) silent.push(`${words.join(' ')}: ${result.stderr.split('\n')[0]}`);
    // Every failure is a usage error, and never looks like a success.
    const plans = result.code === 0 && ownPlans.has(entry.name);
    if (!shows && !plans) expect([2, 3], words.join(' ')).toContain(result.code);
  }
  // Some commands need more than one object, or a value in a special format.
  expect(silent.length, silent.join('\n')).toBeLessThan(12);
});
