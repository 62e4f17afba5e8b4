/** Output in a real terminal, and in a pipe. */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { type ServerProcess, startServerProcess, vmctl } from '../support/server.ts';

let server: ServerProcess;
let home: Home;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  server = await startServerProcess(['--inventory', 'hosts=2,vms=300', '--speed', '0']);
  home = makeHome(server);
  env = {
    PATH: process.env['PATH'],
    HOME: home.folder,
    TERM: 'xterm-256color',
    VMCTL_URL: server.ready.base_url,
    VMCTL_USERNAME: server.ready.username,
    VMCTL_PASSWORD: server.password,
    VMCTL_CA_FILE: server.ready.ca_file,
  };
  const tags = ['плитка 長い名前', 'evil \u009b31m \u202eabc'];
  for (const [index, description] of tags.entries()) {
    const tag = JSON.stringify({ name: `tag${index}`, description });
    expect(await home.run(['tags', 'create', '-f', '-'], {}, tag)).toMatchObject({ code: 0 });
  }
});

afterAll(async () => {
  home.remove();
  await server.stop();
});

const script = spawnSync('script', ['--version']).status === 0 ? 'script' : undefined;

/** Output for a terminal of a given width. */
function inTerminal(words: string, columns: number, more: NodeJS.ProcessEnv = {}): string {
  const file = join(home.folder, 'terminal.sh');
  writeFileSync(
    file,
    `stty cols ${columns} rows 40\nexec "${process.execPath}" "${vmctl}" ${words}\n`,
  );
  return execFileSync(script ?? '', ['-qec', `sh ${file}`, '/dev/null'], {
    encoding: 'utf8',
    env: { ...env, ...more },
  });
}

describe.skipIf(!script)('in a terminal', () => {
  it('tables fit, in colour, with human-readable sizes', () => {
    const text = inTerminal('vms list --limit 3', 80);
    expect(text).toContain('\u001b[32mup');
    expect(text).toMatch(/\d GiB/);
    const plain = inTerminal('vms list --limit 3', 50, { NO_COLOR: '1' });
    expect(plain).not.toContain('\u001b');
    expect(plain).not.toMatch(/[│─]/);
    const lines = plain.split('\r\n');
    expect(lines.filter((line) => line.startsWith('vm-'))).toHaveLength(3);
    for (const line of lines.slice(1, 5)) expect(line.length).toBeLessThanOrEqual(50);
    expect(lines.filter((line) => line.startsWith('columns not shown: '))).toHaveLength(1);
  });

  it('long lists are formatted like short ones', () => {
    const titles = (limit: number) => {
      const words = `vms list --limit ${limit} --columns name,status,memory,id,fqdn`;
      return inTerminal(words, 80, { NO_COLOR: '1' })
        .split('\r\n')
        .find((line) => /^NAME/.test(line));
    };
    expect(titles(300)).toBe(titles(3));
    expect(titles(3)).toMatch(/^NAME +STATUS +MEMORY +ID/);
  });

  it('F7 wide characters are counted as wide, and control characters are escaped', () => {
    const text = inTerminal('tags list --columns description,name', 80, { NO_COLOR: '1' });
    expect(text).toContain('плитка 長い名前  ');
    expect(text).toContain('evil \\u009b31m \\u202eabc');
    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\u202e');
    const wide = /^плитка 長い名前( *)tag/m.exec(text)?.[1]?.length ?? -1;
    const evil = /^evil \S+ \S+( *)tag/m.exec(text)?.[1]?.length ?? -1;
    expect(wide + 'плитка 長い名前'.length + 4).toBe(evil + 'evil \\u009b31m \\u202eabc'.length);
  });

  it.each(['json', 'jsonl', 'yaml', 'csv', 'tsv', 'name', 'id', 'xml'])(
    '%s does not send control characters',
    (format) => {
      const text = inTerminal(`tags list -o ${format}`, 80);
      for (const character of ['\u001b', '\u009b', '\u202e']) expect(text).not.toContain(character);
    },
  );
});

describe('in a pipe', () => {
  it('output has no colours and is not shortened', async () => {
    for (const format of ['table', 'wide', 'json', 'yaml', 'csv', 'tsv', 'xml']) {
      const { stdout, stderr } = await home.run(['vms', 'list', '-o', format], { COLUMNS: '20' });
      expect(stdout + stderr).not.toContain('\u001b');
      expect(stdout).not.toContain('…');
    }
  });

  it.each(['table', 'json', 'jsonl', 'csv', 'xml', 'yaml'])(
    'a reader of %s that closes the pipe is not an error',
    async (format) => {
      const words = [vmctl, 'vms', 'list', '-o', format];
      const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      child.stdout.once('data', () => child.stdout.destroy());
      const code = await new Promise((resolve) => child.once('close', resolve));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  it('a closed standard error is not an error either', () => {
    const words = `"${process.execPath}" "${vmctl}" vms list --limit 1 -o id 2>&- ; echo $?`;
    const text = execFileSync('sh', ['-c', words], { encoding: 'utf8', env });
    expect(text.trimEnd().split('\n').at(-1)).toBe('0');
  });
});

describe.skipIf(!script)('a pager', () => {
  const paged = (words: string, pager: string) =>
    inTerminal(words, 80, { NO_COLOR: '1', VMCTL_PAGER: pager }).split('\r\n');

  it('shows lists and objects on request', () => {
    expect(paged('vms list --limit 2', 'sed s/^/P:/')).toContainEqual(
      expect.stringMatching(/^P:vm-/),
    );
    expect(paged('hosts get host1', 'sed s/^/P:/')[0]).toMatch(/^P:name +host1$/);
    const text = inTerminal('vms list --limit 2 --pager', 80, { NO_COLOR: '1', PAGER: 'tac' });
    expect(text).toMatch(/vm-\S+ [\s\S]*NAME /);
    expect(inTerminal('vms list --limit 2', 80, { NO_COLOR: '1', PAGER: 'tac' })).toMatch(
      /NAME .*\r\nvm-/,
    );
  });

  it('does not start without need, or without a terminal', async () => {
    expect(paged('vms list --search name=nobody', 'echo paged')).toEqual([
      "no vms found with --search 'name=nobody'",
      '',
    ]);
    const piped = await home.run(['vms', 'list', '--pager'], { VMCTL_PAGER: 'echo paged' });
    expect(piped.stdout).not.toContain('paged');
    expect(piped.stdout).toMatch(/^NAME /);
  });

  it('may exit before the list ends', () => {
    expect(paged('vms list', 'head -n 1')[0]).toMatch(/^NAME/);
    expect(paged('vms list', 'true')).toEqual(['']);
  });
});
