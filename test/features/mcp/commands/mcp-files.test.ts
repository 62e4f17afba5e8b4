/** File access of the tools of `vmctl mcp`: every path of an agent is confined. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isLocalPath } from '../../../../src/cli/args/local-paths.ts';
import type { CommandEntry } from '../../../../src/cli/help/command-manifest.ts';
import { Agent } from '../../../commands/support/agent.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let home: Home;
let outside: string;
let inside: string;
const agents: Agent[] = [];

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
  outside = join(home.folder, 'outside');
  inside = join(home.folder, 'inside');
  for (const folder of [outside, inside]) mkdirSync(folder);
  writeFileSync(join(outside, 'secret'), Buffer.alloc(4096, 's'));
  writeFileSync(join(inside, 'image.raw'), Buffer.alloc(4096, 'i'));
  symlinkSync(join(outside, 'secret'), join(inside, 'link'));
  symlinkSync(join(outside, 'new'), join(inside, 'dangling'));
  symlinkSync(outside, join(inside, 'linked-folder'));
});
afterAll(async () => {
  home.remove();
  await server.stop();
});
afterEach(() => {
  for (const agent of agents.splice(0)) agent.child.kill();
});

async function open(...words: string[]): Promise<Agent> {
  const agent = new Agent(['--allow-changes', ...words], home.env);
  agents.push(agent);
  await agent.begin();
  return agent;
}

async function callForText(agent: Agent, tool: string, input: object): Promise<string> {
  const { isError, content } = await agent.use(tool, input);
  return `${isError ? 'error' : 'done'} ${content.map(({ text }) => text).join('\n')}`;
}

/** Calls of a command with an outside path, one for each path parameter. */
function usesWith(path: string, { verb, arguments: all, flags }: CommandEntry) {
  const isPath = (type?: string) => isLocalPath(type === undefined ? {} : { type });
  const words = all.map(({ name, type }) => (isPath(type) ? '-' : name));
  const byArgument = all.flatMap(({ type }, index) =>
    isPath(type) ? [{ verb, arguments: words.with(index, path) }] : [],
  );
  const byFlag = flags.flatMap(({ flag, type }) =>
    // Endless lists are refused for another reason.
    isPath(type) && flag !== '--cursor'
      ? [
          {
            verb,
            arguments: words,
            flags: { [flag.slice(2)]: type === 'name=@file' ? `a=@${path}` : path },
          },
        ]
      : [],
  );
  return [...byArgument, ...byFlag];
}

describe('without --files', () => {
  it('refuses every path argument and flag of every tool before any effect', async () => {
    const { stdout } = await home.runHere(['commands', '-o', 'json']);
    const { nouns } = JSON.parse(stdout) as { nouns: { name: string; commands: CommandEntry[] }[] };
    const agent = await open(
      '--nouns',
      nouns
        .map(({ name }) => name)
        .filter(isOffered)
        .join(','),
    );
    const secret = join(outside, 'secret');
    const problems: string[] = [];
    let tried = 0;
    for (const tool of await agent.tools()) {
      const verbs = tool.inputSchema.properties['verb']?.enum;
      const commands = nouns.find(({ name }) => name === tool.name)?.commands ?? [];
      for (const command of commands) {
        if (command.verb !== undefined && !verbs?.includes(command.verb)) continue;
        for (const input of usesWith(secret, command)) {
          tried += 1;
          const text = await callForText(agent, tool.name, input);
          if (!text.includes('"code":"outside_files"'))
            problems.push(`${JSON.stringify(input)} ${text}`);
        }
      }
    }
    expect(problems).toEqual([]);
    expect(tried).toBeGreaterThan(200);
  });
});

/** Nouns without a tool. */
const isOffered = (noun: string) =>
  !/^(login|logout|context|config|completion|commands|watch|ui|mcp|serve|help)$/.test(noun);

describe('with --files', () => {
  it('permits uploads and downloads in a folder, and nothing outside', async () => {
    const agent = await open('--files', inside, '--nouns', 'disks,backups');
    const upload = (file: string) =>
      callForText(agent, 'disks', {
        verb: 'upload',
        arguments: [file],
        flags: { name: 'up', storagedomain: 'data1' },
      });
    expect(await upload(join(inside, 'image.raw'))).toMatch(/^done/);
    const download = (file: string) =>
      callForText(agent, 'disks', {
        verb: 'download',
        arguments: ['up', file],
        flags: { force: true },
      });
    expect(await download(join(inside, 'copy.raw'))).toMatch(/^done/);
    expect(existsSync(join(inside, 'copy.raw'))).toBe(true);
    const closed = [
      join(outside, 'secret'),
      `${inside}/../outside/secret`,
      `${inside}-beside/secret`,
      join(inside, 'link'),
      join(inside, 'dangling'),
      join(inside, 'linked-folder/secret'),
      `${inside}/linked-folder/../outside/secret`,
      join(inside, 'linked-folder/new'),
      `${inside}/nul\0byte`,
    ];
    for (const path of closed) {
      expect(await upload(path), path).toContain('"code":"outside_files"');
      expect(await download(path), path).toContain('"code":"outside_files"');
    }
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('s'.repeat(4096));
    expect(readdirSync(outside)).toEqual(['secret']);
    // A folder is read by the names in it.
    const restore = { verb: 'restore', arguments: [inside] };
    expect(await callForText(agent, 'backups', restore)).toContain(join(inside, 'dangling'));
  });

  it('refuses a path that is not a folder', async () => {
    const { code, stderr } = await home.run(['mcp', '--files', join(outside, 'secret')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('not a folder')]);
  });
});
