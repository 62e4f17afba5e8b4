/** Tools for agents: the protocol on the standard streams of a process. */
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Agent, type Result, type Tool } from '../../../commands/support/agent.ts';
import { type Home, makeHome } from '../../../support/command.ts';
import { startTestServer, type TestServer } from '../../../support/server.ts';

let server: TestServer;
let home: Home;
const agents: Agent[] = [];

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome(server);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});
afterEach(() => {
  for (const agent of agents.splice(0)) agent.child.kill();
});

function start(words: readonly string[], env: NodeJS.ProcessEnv = {}): Agent {
  const agent = new Agent(words, { ...home.env, ...env });
  agents.push(agent);
  return agent;
}

async function open(words: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<Agent> {
  const agent = start(words, env);
  await agent.begin();
  return agent;
}

function json(result: Result): unknown {
  expect(result.isError, result.content[0]?.text).toBeUndefined();
  return JSON.parse(result.content[0]?.text ?? '');
}

const listVerbs = (tools: readonly Tool[], name: string) =>
  tools.find((tool) => tool.name === name)?.inputSchema.properties['verb']?.enum ?? [];

describe('the errors of the protocol', () => {
  it.each<[string, string, number, unknown]>([
    ['text', 'not json', -32700, null],
    ['a number', '5', -32600, null],
    ['a request without a version', '{"id": 6, "method": "ping"}', -32600, null],
    ['an unknown method', '{"jsonrpc": "2.0", "id": 7, "method": "nope"}', -32601, 7],
    [
      'an unknown tool',
      '{"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "nope"}}',
      -32602,
      8,
    ],
    ['no parameters', '{"jsonrpc": "2.0", "id": 9, "method": "tools/call"}', -32602, 9],
  ])('are returned for %s', async (_what, line, code, id) => {
    const agent = await open();
    const answered = new Promise<{ id: unknown; error?: { code: number } }>((resolve) => {
      agent.child.stdout?.on('data', (chunk: Buffer) => {
        for (const text of String(chunk).split('\n').filter(Boolean)) resolve(JSON.parse(text));
      });
    });
    agent.child.stdin?.write(`${line}\n`);
    expect(await answered).toMatchObject({ id, error: { code } });
  });
});

describe('vmctl mcp', () => {
  it('introduces itself and explains its tools', async () => {
    const agent = start([]);
    const { serverInfo, instructions, capabilities } = await agent.begin();
    expect(serverInfo).toMatchObject({ name: 'vmctl' });
    expect(instructions).toContain('name or id');
    expect(capabilities).toMatchObject({ tools: {} });
  });

  it('has a read-only tool for each noun', async () => {
    const tools = await (await open()).tools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['help', 'vms', 'hosts', 'disks', 'events', 'explain', 'whoami']),
    );
    for (const { name, annotations } of tools)
      expect([name, annotations.readOnlyHint]).toEqual([name, true]);
    expect(listVerbs(tools, 'vms')).toEqual(expect.arrayContaining(['list', 'get', 'ip']));
    for (const verb of ['start', 'delete', 'ssh', 'console', 'create']) {
      expect(listVerbs(tools, 'vms')).not.toContain(verb);
    }
    for (const name of ['login', 'serve', 'ui', 'config']) {
      expect(tools.map((tool) => tool.name)).not.toContain(name);
    }
  });

  it('lists, with flags of the command line', async () => {
    const agent = await open();
    const vms = json(
      await agent.use('vms', { verb: 'list', flags: { search: 'status=up', sort: '-name' } }),
    );
    expect((vms as { name: string }[]).map(({ name }) => name)).toEqual(['vm-03', 'vm-01']);
    const names = json(await agent.use('vms', { verb: 'list', flags: { query: '[].name' } }));
    expect(names).toHaveLength(3);
    const vm = json(await agent.use('vms', { verb: 'get', arguments: ['vm-01'] }));
    expect(vm).toMatchObject({ name: 'vm-01', status: 'up' });
    const nics = json(await agent.use('nics', { verb: 'list', flags: { vm: 'vm-01' } }));
    expect(nics).toMatchObject([{ name: 'nic1' }]);
  });

  it('explains the parameters of a verb', async () => {
    const agent = await open();
    const { content } = await agent.use('help', { noun: 'vms', verb: 'list' });
    expect(content[0]?.text).toContain('--search');
    const whole = await agent.use('help', { noun: 'vms' });
    expect(whole.content[0]?.text).toMatch(/^list: /m);
  });

  it.each([
    ['an object that there is not', { verb: 'get', arguments: ['nobody'] }, 'not_found'],
    ['a flag that there is not', { verb: 'list', flags: { serach: 'x' } }, 'did you mean'],
    ['a search that does not parse', { verb: 'list', flags: { search: 'statu=up' } }, 'status'],
    [
      'another server in the name of a flag',
      { verb: 'list', flags: { 'url=https://elsewhere ': 'x' } },
      '" is not the name of a flag',
    ],
    [
      'another server',
      { verb: 'list', flags: { url: 'https://elsewhere' } },
      ': not available to agents',
    ],
    ['a command for passwords', { verb: 'list', flags: { 'password-command': 'touch x' } }, ''],
    ['an endless list', { verb: 'list', flags: { watch: true } }, 'never end'],
    ['a verb that is not offered', { verb: 'start', arguments: ['vm-02'] }, 'vms: unknown verb'],
    ['no verb', {}, ': verb missing'],
    ['arguments that are not a list', { verb: 'get', arguments: 'vm-01' }, 'arguments: not a list'],
    ['a list of flags', { verb: 'list', flags: ['search'] }, 'flags: not an object of flag names'],
    ['a flag without its value', { verb: 'list', flags: { search: true } }, 'takes a value'],
    ['an object as a value', { verb: 'list', flags: { limit: { a: 1 } } }, 'neither a text nor'],
    ['the flag help', { verb: 'list', flags: { help: true } }, 'use the tool help'],
    ['a global flag for people', { verb: 'list', flags: { pager: 'x' } }, 'utc, dry-run, timeout'],
  ])('%s is an error with a hint', async (_, input, message) => {
    const result = await (await open()).use('vms', input);
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0]?.text ?? '')).toHaveProperty('exit_code');
    expect(result.content[0]?.text).toContain(message);
  });

  it.each(['description', 'memory', 'boot-devices', 'columns', 'timeout', 'set'])(
    'does not treat arguments as flags after --%s without a value',
    async (flag) => {
      const agent = await open(['--allow-changes', '--nouns', 'vms']);
      const names = ['vm-02', '--comment=changed', '--context=other'];
      const input = { verb: 'update', arguments: names, flags: { [flag]: true } };
      const result = await agent.use('vms', input);
      expect(result.content[0]?.text).toContain(`--${flag}: the flag takes a value`);
      expect(json(await agent.use('vms', { verb: 'get', arguments: ['vm-02'] }))).toMatchObject({
        comment: '',
      });
    },
  );

  it('does not read the messages of the protocol as names of objects', async () => {
    const result = await (await open()).use('vms', { verb: 'get', arguments: ['-'] });
    expect(result.content.map(({ text }) => text).join()).toContain('on standard input');
  });

  it('refuses an unknown tool with a protocol error', async () => {
    const { error } = await (await open()).ask('tools/call', { name: 'rm', arguments: {} });
    expect(error).toMatchObject({ message: expect.stringContaining('rm') });
  });

  it('makes permitted changes, and records them in the history', async () => {
    const agent = await open(['--allow-changes', '--nouns', 'vms,tags']);
    const tools = await agent.tools();
    expect(tools.map(({ name }) => name)).toEqual(['help', 'vms', 'tags']);
    expect(tools[1]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    await agent.use('vms', { verb: 'stop', arguments: ['vm-02'], flags: { 'if-needed': true } });
    const started = await agent.use('vms', { verb: 'start', arguments: ['vm-02'] });
    expect(started.isError).toBeUndefined();
    expect(json(await agent.use('vms', { verb: 'get', arguments: ['vm-02'] }))).toMatchObject({
      status: 'up',
    });
    const made = await agent.use('tags', {
      verb: 'create',
      flags: { 'from-file': '-' },
      input: '{"name": "by-agent"}',
    });
    expect(made.isError, made.content[0]?.text).toBeUndefined();
    const { stdout } = await home.run(['history', '-o', 'json']);
    expect(stdout).toContain('vms start');
    expect(stdout).toContain('tags create');
  });

  it('shows requests in a dry run', async () => {
    const agent = await open(['--allow-changes', '--nouns', 'vms']);
    const shown = await agent.use('vms', {
      verb: 'stop',
      arguments: ['vm-01'],
      flags: { dry_run: true },
    });
    expect(shown.content.map(({ text }) => text).join('\n')).toContain('/stop');
    expect(json(await agent.use('vms', { verb: 'get', arguments: ['vm-01'] }))).toMatchObject({
      status: 'up',
    });
  });

  it('does nothing without yes if a command needs confirmation', async () => {
    const agent = await open(['--allow-changes', '--nouns', 'tags']);
    for (const name of ['several-a', 'several-b']) {
      await agent.use('tags', { verb: 'create', arguments: [name] });
    }
    const several = { verb: 'delete', arguments: ['several-*'] };
    const refused = await agent.use('tags', { ...several, flags: { glob: true } });
    expect(refused.isError).toBe(true);
    expect(refused.content[0]?.text).toContain('"exit_code":12');
    const done = await agent.use('tags', { ...several, flags: { glob: true, yes: true } });
    expect(done.isError, done.content[0]?.text).toBeUndefined();
  });

  it('refuses harmful commands in a protected context', async () => {
    const { VMCTL_URL: url = '', VMCTL_CA_FILE: ca = '', VMCTL_USERNAME: user = '' } = home.env;
    const login = ['login', url, '-c', 'lab', '--username', user, '--ca-file', ca];
    expect(await home.run(login)).toMatchObject({ code: 0 });
    expect(await home.run(['context', 'set', 'lab', '--protected'])).toMatchObject({ code: 0 });
    const agent = await open(['--context', 'lab', '--allow-changes', '--nouns', 'vms'], {
      VMCTL_URL: undefined,
      VMCTL_USERNAME: undefined,
      VMCTL_CA_FILE: undefined,
    });
    for (const flags of [{}, { yes: true }, { confirm: 'lab' }]) {
      const refused = await agent.use('vms', { verb: 'stop', arguments: ['vm-01'], flags });
      expect(refused.isError).toBe(true);
      expect(refused.content[0]?.text).toMatch(
        /is protected: cannot stop vms\/vm-01|--confirm: not available to agents/,
      );
    }
    expect(json(await agent.use('vms', { verb: 'get', arguments: ['vm-01'] }))).toMatchObject({
      status: 'up',
    });
  });

  it('answers several concurrent requests', async () => {
    const agent = await open();
    const names = ['vm-01', 'vm-02', 'vm-03', 'vm-01', 'vm-02', 'vm-03'];
    const all = await Promise.all(
      names.map((name) => agent.use('vms', { verb: 'get', arguments: [name] })),
    );
    expect(all.map((one) => (json(one) as { name: string }).name)).toEqual(names);
  });

  it('answers calls that are running at the end of its input', async () => {
    const agent = await open();
    const all = ['vm-01', 'vm-02', 'vm-03'].map((name) =>
      agent.use('vms', { verb: 'get', arguments: [name] }),
    );
    agent.child.stdin?.end();
    expect(await once(agent.child, 'exit')).toEqual([0, null]);
    expect((await Promise.all(all)).map((one) => one.isError)).toEqual(Array(3).fill(undefined));
  });

  it('exits with 0 at the end of its input', async () => {
    const agent = await open();
    agent.child.stdin?.end();
    expect(await once(agent.child, 'exit')).toEqual([0, null]);
  });

  it.each([
    ['a noun that there is not', ['--nouns', 'vmz'], /unknown noun/],
    ['a noun without tools', ['--nouns', 'login'], /: no tools for this noun/],
  ])('refuses %s at the start', async (_, words, message) => {
    const { code, stderr, stdout } = await home.run(['mcp', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
  });
});
