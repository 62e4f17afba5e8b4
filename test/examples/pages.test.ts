/** Blocks of code of README.md and of the pages in docs, run as they stand there. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellQuote } from '../../src/client/shell-quote.ts';
import { type ServerProcess, startServerProcess } from '../support/server.ts';
import {
  isInstalled,
  type ProxyName,
  proxies,
  readConfiguration,
} from '../support/several-servers.ts';
import { namedHosts } from './named-hosts.ts';
import { notRun, pageScenes } from './page-scenes.ts';
import { makeShell, type Shell } from './shell.ts';
import { readPageBlocks, topics } from './shown.ts';
import { play } from './stage.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'vmctl-pages-'));
const inDocs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
/** test/commands/tasks.test.ts runs the tasks, each with a look at what it did. */
const pages = ['README.md', ...inDocs.map((name) => `docs/${name}`)].filter(
  (page) => page !== 'docs/tasks.md',
);

let server: ServerProcess;
let open: () => Shell;

beforeAll(async () => {
  const hosts = namedHosts(folder);
  server = await startServerProcess(['--speed', '0', '--inventory', 'small', ...hosts.flags]);
  open = () => makeShell(server, hosts, folder);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Lines of a shell; a document that follows belongs to the line that reads it. */
const splitLines = (text: string) => text.trim().match(/.*<< '(\w+)'\n[\s\S]*?\n\1$|.+/gm) ?? [];

/** Parses a transcript: commands after `$`, each with its output. */
function parseTranscript(text: string): readonly (readonly [command: string, output: string])[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return [part.slice(0, end), part.slice(end + 1)] as const;
    });
}

/** How a block in each language is run. */
const runs: Readonly<Record<string, (text: string, shell: Shell) => Promise<void>>> = {
  sh: async (text, shell) => {
    for (const line of splitLines(text)) {
      if (line in notRun) continue;
      const scene = pageScenes[line];
      expect(scene, `${line}: nobody looks at what it does`).toBeDefined();
      if (scene) await play(shell, line, scene);
    }
  },
  console: async (text, shell) => {
    const parts = parseTranscript(text);
    expect(parts.length).toBeGreaterThan(0);
    for (const [command, output] of parts) {
      expect(await shell.must(`cd '${root}'\n${command}`), command).toBe(output);
    }
  },
  js: async (text, shell) => {
    shell.write('node_modules/.keep', '');
    symlinkSync(root, join(shell.folder, 'node_modules/vmctl'));
    // The comment is a placeholder for the requests of a test.
    const [comment = '', names = ''] = / *\/\/ (server\.\w+(?:, server\.\w+)*)\n/.exec(text) ?? [];
    expect(comment).not.toBe('');
    shell.write('block.mjs', text.replace(comment, `console.log(JSON.stringify([${names}]));\n`));
    const told = JSON.parse(await shell.must('node block.mjs')) as unknown[];
    expect(told).toHaveLength(names.split(', ').length);
    expect(told[0]).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/virt-app\/api$/);
    for (const value of told) expect(value).toMatch(/./);
  },
  yaml: expectInventory,
  haproxy: expectProxy('haproxy'),
  nginx: expectProxy('nginx'),
  json: async (text, shell) => {
    // Command for agents; it ends when its client disconnects.
    const { mcpServers } = JSON.parse(text) as { mcpServers: Record<string, McpServer> };
    const login = 'vmctl login "$VMCTL_URL" -c lab --username admin@internal --password-file';
    await shell.must(`${login} password.txt --ca-file "$VMCTL_CA_FILE"`);
    for (const { command, args } of Object.values(mcpServers)) {
      await shell.must(`${[command, ...args].map(shellQuote).join(' ')} < /dev/null`);
    }
  },
};

/** Whether a proxy takes its configuration; test/faults/several-servers.test.ts uses it. */
function expectProxy(name: ProxyName): (text: string, shell: Shell) => Promise<void> {
  return async (_, shell) => {
    const { program, check } = proxies[name];
    if (!isInstalled(name)) return;
    shell.write('proxy.conf', readConfiguration(name, 1, [2, 3, 4], shell.folder));
    await shell.must(
      [program, ...check(join(shell.folder, 'proxy.conf'))].map(shellQuote).join(' '),
    );
  };
}

interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** A definition: a service begins with it, and has everything that it names, as it says. */
async function expectInventory(text: string, shell: Shell): Promise<void> {
  shell.write('block.yaml', text);
  expect(text).toContain('web01');
  const script = "vmctl vms list -o json --query '[].[name, status]'; vmctl diff block.yaml";
  shell.write('look.sh', script);
  const serve = 'vmctl serve --memory --speed 0 --inventory block.yaml -- sh look.sh';
  expect(JSON.parse(await shell.must(serve))).toEqual([['web01', 'up']]);
}

const shown = pages
  .map((page) => ({
    page,
    // A diagram has nothing to run.
    blocks: readPageBlocks(page)
      .filter(({ language }) => language !== 'mermaid')
      .map(({ title, language, text }) => ({ title, language, text })),
  }))
  .filter(({ blocks }) => blocks.length > 0);

describe.each(shown)('$page', ({ blocks }) => {
  let shell: Shell | undefined;
  it.each(blocks)('$title: $language', async ({ language, text }) => {
    const run = runs[language];
    expect(run, `no runner for blocks of ${language}`).toBeDefined();
    // Later blocks of the page may use the results of earlier ones.
    shell ??= open();
    await run?.(text, shell);
  });
});

describe('unexecuted lines', () => {
  const lines = pages.flatMap((page) =>
    readPageBlocks(page).flatMap(({ text }) => splitLines(text)),
  );
  it('is shown somewhere', () => {
    for (const line of [...Object.keys(notRun), ...Object.keys(pageScenes)]) {
      expect(lines).toContain(line);
    }
  });
  it('.ci/run runs: tests cannot run themselves', () => {
    const script = readFileSync(join(root, '.ci/run'), 'utf8');
    expect(script).toMatch(/^npm test /m);
    expect(script).toMatch(/^npm run --silent demo /m);
  });
});

it('npm scripts in the pages exist', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const page of [...pages, 'CONTRIBUTING.md']) {
    const text = readFileSync(join(root, page), 'utf8');
    for (const [, name = ''] of text.matchAll(/npm run ([\w:]+)/g)) {
      expect(scripts, page).toHaveProperty([name]);
    }
  }
});

it('the definition that vmctl help definitions shows can be begun with', async () => {
  const { text = '' } = (await topics()).find(({ name }) => name === 'help definitions') ?? {};
  const [block = ''] = /(?<=\n\n)(?: {2}.*\n)+/.exec(text) ?? [];
  await expectInventory(block, open());
});
