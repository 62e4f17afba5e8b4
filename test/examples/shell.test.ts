/** Examples with pipes, redirections, servers and separate homes, typed into a shell. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { selectSlowCases } from '../support/slow-tests.ts';
import { needsShell } from './execution.ts';
import { namedHosts, startWeb } from './named-hosts.ts';
import { scenes } from './scenes.ts';
import { makeShell, type Shell } from './shell.ts';
import { allNouns, commandPages, commandsIn, topics } from './shown.ts';
import { type ExamplesSite, startExamplesSite } from './site.ts';
import { play } from './stage.ts';

const folder = mkdtempSync(join(tmpdir(), 'vmctl-shell-'));
let site: ExamplesSite;
let web: Server;
let open: () => Shell;

beforeAll(async () => {
  const hosts = namedHosts(folder);
  site = await startExamplesSite(hosts.flags);
  const raw = Buffer.concat([randomBytes(1024 * 1024), Buffer.alloc(9 * 1024 * 1024)]);
  const packed = gzipSync(raw);
  const started = await startWeb(execFileSync('xz', ['-c'], { input: raw, maxBuffer: raw.length }));
  web = started.server;
  open = () => {
    const shell = makeShell(site.server, hosts, folder, started.port);
    shell.write('root.raw', raw);
    shell.write('root.raw.gz', packed);
    return shell;
  };
});
afterAll(async () => {
  web.close();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ofHelp = (await commandPages(await allNouns()))
  .filter(({ entry }) => entry.name !== 'help')
  .flatMap(({ examples }) => examples.filter(needsShell));
const ofTopics = (await topics()).flatMap(({ text }) => commandsIn(text));
const lines = [...new Set([...ofHelp, ...ofTopics])];

it('every example has a scene, and every scene an example', () => {
  expect(lines.filter((line) => !scenes[line])).toEqual([]);
  expect(Object.keys(scenes).filter((line) => !lines.includes(line))).toEqual([]);
});

it.each(selectSlowCases(lines, 'test/examples/shell.test.ts'))('%s', async (line) => {
  const scene = scenes[line];
  if (!scene) return;
  await site.restore();
  await play(open(), line, scene);
});
