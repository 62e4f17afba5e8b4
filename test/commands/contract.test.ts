/** The contract of the command line, row by row: grammar, flags, output, exit codes, help, waiting. */
import { describe, expect, it } from 'vitest';
import { nouns } from '../../src/cli/args/catalog.ts';
import { settingNames, settings } from '../../src/cli/session/settings.ts';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

interface Row {
  /** Promised behaviour. */
  readonly row: string;
  readonly words: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly stdout?: RegExp | '';
  readonly stderr?: RegExp | '';
}

const vm = ['vms', 'get', 'vm-01'];

const grammar: readonly Row[] = [
  {
    row: 'hyphens do not count',
    words: ['storage-domains', 'list', '-o', 'name'],
    stdout: /data1/,
  },
  { row: 'a singular is a noun', words: ['storagedomain', 'list', '-o', 'name'], stdout: /data1/ },
  { row: 'a short alias is a noun', words: ['sd', 'list', '-o', 'name'], stdout: /data1/ },
  { row: 'ls lists', words: ['vms', 'ls', '-o', 'name'], stdout: /^vms\/vm-01$/m },
  { row: 'show gets', words: ['vms', 'show', 'vm-01', '-o', 'name'], stdout: /^vms\/vm-01\n$/ },
  { row: 'add creates', words: ['tags', 'add', '--name', 'one'], stderr: '' },
  { row: 'set updates', words: ['tags', 'set', 'one', '--description', 'x'] },
  { row: 'rm deletes', words: ['tags', 'rm', 'one'], stderr: /tags\/one: deleted/ },
  { row: 'actions are in kebab case', words: ['hosts', 'commit-net-config', 'host1'] },
  { row: 'children name their parent', words: ['nics', 'list', '--vm', 'vm-01'], stdout: /nic1/ },
  {
    row: '--on names it with its kind',
    words: ['nics', 'list', '--on', 'vms/vm-01'],
    stdout: /nic1/,
  },
  { row: 'noun/name is a reference', words: ['vms', 'get', 'vms/vm-01', '-o', 'id'], stdout: /-/ },
  {
    row: '- reads references from stdin',
    words: ['vms', 'get', '-', '-o', 'name'],
    input: 'vms/vm-01\nvms/vm-02\n',
    stdout: /^vms\/vm-01\nvms\/vm-02\n$/,
  },
  {
    row: 'nothing on stdin is success',
    words: ['vms', 'delete', '-'],
    input: '',
    stderr: /nothing to do/,
  },
  { row: 'a pattern needs --glob', words: ['vms', 'get', 'vm-*'], code: 3 },
  {
    row: '--glob takes patterns',
    words: ['vms', 'start', '--glob', 'vm-*', '--dry-run'],
    stdout: /DRY RUN/,
  },
  {
    row: 'grants are revoked with the words that made them',
    words: [
      ...['permissions', 'revoke', '--dry-run', '--role', 'UserVmManager'],
      ...['--user', 'jane@internal', '--object', 'vms/vm-01'],
    ],
    stdout: /DELETE .*\/vms\/[\w-]+\/permissions\//,
  },
  { row: 'an empty name is refused', words: ['vms', 'delete', ''], code: 2 },
  { row: 'a near name is offered', words: ['vmss', 'lst'], code: 2, stderr: /did you mean/ },
  { row: '--x=y is --x y', words: [...vm, '--output=name'], stdout: /^vms\/vm-01\n$/ },
  { row: '-- ends the flags', words: ['vms', 'get', '-o', 'name', '--', 'vm-01'], stdout: /vm-01/ },
  { row: 'switches take no value', words: ['vms', 'list', '--utc=maybe'], code: 2 },
  {
    row: 'sizes have units',
    words: ['vms', 'update', 'vm-02', '--memory', '2GiB', '--dry-run'],
    stdout: /2147483648/,
  },
  {
    row: 'sizes are counted as their attribute is',
    words: ['numanodes', 'create', '--vm', 'vm-02', '--memory', '1GiB', '--dry-run'],
    stdout: /"memory": ?1024\b/,
  },
  {
    row: 'a count is no size',
    words: ['vmpools', 'update', 'nobody', '--size', '4GiB'],
    code: 2,
    stderr: /--size 4GiB: not an integer/,
  },
  {
    row: 'sizes are waited for, too',
    words: ['wait', 'vms/vm-01', '--for', 'memory=1GiB', '--timeout', '10s'],
    stderr: /memory=1073741824/,
  },
  {
    row: '--set takes any writable path',
    words: ['vms', 'update', 'vm-02', '--set', 'cpu.topology.cores=2', '--dry-run'],
    stdout: /"cores": ?2/,
  },
  {
    row: 'a new name may be an argument',
    words: ['tags', 'create', 'argued', '--dry-run'],
    stdout: /"name": ?"argued"/,
  },
  {
    row: 'two names for one object are refused',
    words: ['tags', 'create', 'one', '--name', 'other'],
    code: 2,
    stderr: /two names given: one and --name other\nhint: use one of them/,
  },
  {
    row: 'one command makes a machine',
    words: ['vms', 'create', 'm', '--network', 'net1', '--start', '--wait-for', 'ip', '--dry-run'],
    stdout: /\/vms\/ID-of-m\/start/,
    stderr: /requests for the address would follow/,
  },
  {
    row: 'refuses --wait-for ip without --start',
    words: ['vms', 'create', 'm', '--wait-for', 'ip'],
    code: 2,
    stderr: /--wait-for ip needs --start/,
  },
  { row: 'an address is a line', words: ['vms', 'ip', 'vm-01'], stdout: /^10\.0\.0\.1\n$/ },
  {
    row: 'passes the arguments after -- to ssh',
    words: ['vms', 'ssh', 'vm-01', '--dry-run', '--', '-v', 'uptime'],
    stdout: /^ssh 10\.0\.0\.1 -v uptime\n$/,
  },
  {
    row: 'flags win over -f',
    words: ['tags', 'create', '-f', '-', '--name', 'flag', '--dry-run'],
    input: '{"name": "file", "description": "d"}',
    stdout: /"name": ?"flag"/,
  },
];

const output: readonly Row[] = [
  {
    row: 'an empty list is [] and success',
    words: ['vms', 'list', '--search', 'name=no', '-o', 'json'],
    stdout: /^\[\]\n$/,
  },
  {
    row: 'an empty table names the filter',
    words: ['vms', 'list', '--search', 'name=no'],
    stdout: '',
    stderr: /name=no/,
  },
  { row: 'json of one is an object', words: [...vm, '-o', 'json'], stdout: /^\{/ },
  { row: 'json of a list is an array', words: ['vms', 'list', '-o', 'json'], stdout: /^\[/ },
  {
    row: 'ndjson is a line for each',
    words: ['vms', 'list', '-o', 'ndjson'],
    stdout: /^\{.*\}\n\{.*\}\n/,
  },
  { row: 'yaml', words: [...vm, '-o', 'yaml'], stdout: /^name: vm-01$/m },
  {
    row: 'csv',
    words: ['vms', 'list', '-o', 'csv', '--columns', 'name'],
    stdout: /^name\r?\nvm-01/,
  },
  {
    row: 'tsv',
    words: ['vms', 'list', '-o', 'tsv', '--columns', 'name,id'],
    stdout: /^name\tid\n/,
  },
  { row: 'name', words: ['vms', 'list', '-o', 'name'], stdout: /^vms\/vm-01\n/ },
  { row: 'id', words: [...vm, '-o', 'id'], stdout: /^[\w-]{36}\n$/ },
  { row: 'xml, as the server sent it', words: [...vm, '-o', 'xml'], stdout: /<vm [^>]*>/ },
  {
    row: 'raw, as the server sent it',
    words: [...vm, '-o', 'raw'],
    stdout: /"name"\s*:\s*"vm-01"/,
  },
  { row: 'wide', words: ['vms', 'list', '-o', 'wide'], stdout: /NAME/ },
  { row: 'an unknown format is refused', words: ['vms', 'list', '-o', 'jsn'], code: 2 },
  {
    row: 'columns can be chosen',
    words: ['vms', 'list', '--columns', 'name'],
    stdout: /^NAME\nvm-01/,
  },
  {
    row: 'without titles',
    words: ['vms', 'list', '--columns', 'name', '--no-headers'],
    stdout: /^vm-01/,
  },
  { row: 'sorted', words: ['vms', 'list', '--sort', '-name', '-o', 'name'], stdout: /^vms\/vm-03/ },
  { row: 'queried', words: ['vms', 'list', '--query', 'length(@)'], stdout: /^3\n$/ },
  {
    row: 'disks show their machines',
    words: ['disks', 'list', '-o', 'csv'],
    stdout: /^vm-01_Disk1,ok,1073741824,vm-01,/m,
  },
  {
    row: 'a limit is never silent',
    words: ['vms', 'list', '--limit', '1'],
    stderr: /^showing 1 vm \(--limit\); more may exist/,
  },
  {
    row: 'bytes are exact off a terminal',
    words: [...vm, '--columns', 'memory', '-o', 'csv'],
    stdout: /1073741824/,
  },
  {
    row: 'an error has what, why and hint',
    words: ['vms', 'get', 'vm-91'],
    code: 3,
    stdout: '',
    stderr: /^vmctl: vms\/vm-91 not found\nhint: did you mean /,
  },
  {
    row: 'an error is JSON where output is',
    words: ['vms', 'get', 'no', '-o', 'json'],
    code: 3,
    stdout: '',
    stderr: /^\{"code":"not_found",/,
  },
  {
    row: 'so are mistakes of usage',
    words: ['vms', 'gett', '-o', 'json'],
    code: 2,
    stdout: '',
    stderr: /^\{"code":/,
  },
  {
    row: 'no pager unless asked for',
    words: ['vms', 'list'],
    env: { PAGER: 'false' },
    stdout: /vm-01/,
  },
  {
    row: 'colour only where asked for',
    words: ['vms', 'list', '--color', 'always'],
    stdout: new RegExp(`${String.fromCharCode(27)}\\[`),
  },
  {
    row: 'NO_COLOR wins',
    words: ['vms', 'list', '--color', 'always'],
    env: { NO_COLOR: '1' },
    stdout: /^NAME/,
  },
  {
    row: 'quiet prints ids alone',
    words: ['tags', 'create', '--name', 'quiet', '-q'],
    stdout: /^[\w-]+\n$/,
    stderr: '',
  },
];

const exits: readonly Row[] = [
  { row: '0 done', words: vm },
  { row: '2 usage', words: ['vms', 'list', '--nosuch'], code: 2 },
  {
    row: '2 a search that is none, before it is sent',
    words: ['vms', 'list', '--search', 'status='],
    code: 2,
  },
  { row: '3 no such object', words: ['vms', 'get', 'nobody'], code: 3 },
  { row: '4 credentials refused', words: vm, env: { VMCTL_TOKEN: 'wrong' }, code: 4 },
  {
    row: '5 permission denied',
    words: ['tags', 'create', '--name', 'no'],
    env: { VMCTL_USERNAME: 'jane@internal' },
    code: 5,
  },
  { row: '6 wrong state', words: ['vms', 'start', 'vm-01'], code: 6 },
  {
    row: '7 the wait is over',
    words: ['wait', 'vms/vm-01', '--for', 'status=down', '--timeout', '50ms'],
    code: 7,
  },
  { row: '8 nobody there', words: vm, env: { VMCTL_URL: 'https://127.0.0.1:1' }, code: 8 },
  {
    row: '3 one of them is unknown: nothing is done',
    words: ['vms', 'stop', 'vm-03', 'no'],
    code: 3,
  },
  { row: '9 some of them', words: ['vms', 'suspend', 'vm-03', 'vm-02'], code: 9 },
  {
    row: '11 there are differences',
    words: ['diff', '-f', '-'],
    input: 'vms:\n  - { name: vm-01, description: other }\n',
    code: 11,
  },
  {
    row: '1 there are differences, as for diff(1)',
    words: ['diff', '-f', '-', '--exit-code'],
    input: 'vms:\n  - { name: vm-01, description: other }\n',
    code: 1,
  },
  { row: '12 nobody agreed', words: ['vms', 'delete', '--all'], code: 12 },
];

const tools: readonly Row[] = [
  { row: 'whoami', words: ['whoami'], stdout: /admin@internal/ },
  { row: 'context', words: ['context', 'list'] },
  { row: 'config shows origins', words: ['config', 'list', '--origin'], stdout: /VMCTL_URL/ },
  { row: 'api', words: ['api', 'GET', '/vms'], stdout: /vm-01/ },
  { row: 'export', words: ['export'], stdout: /vm-01/ },
  { row: 'search-help', words: ['search-help', 'vms'], stdout: /status/ },
  {
    row: 'search-help points at the slip',
    words: ['search-help', 'vms', 'status='],
    code: 2,
    stderr: /\^/,
  },
  { row: 'explain', words: ['explain', 'vm'], stdout: /status/ },
  { row: 'explain as JSON Schema', words: ['explain', 'vm', '-o', 'json'], stdout: /"properties"/ },
  { row: 'doctor', words: ['doctor'], stdout: /certificate/ },
  {
    row: 'commands describe themselves',
    words: ['commands', 'vms', '-o', 'json'],
    stdout: /"nouns"/,
  },
  {
    row: 'dry run is labelled',
    words: ['vms', 'stop', 'vm-01', '--dry-run'],
    stdout: /^DRY RUN, nothing sent/,
  },
  { row: 'a request as curl', words: ['vms', 'stop', 'vm-01', '--curl'], stdout: /^curl / },
  {
    row: 'read-only refuses',
    words: ['vms', 'stop', 'vm-01'],
    env: { VMCTL_READ_ONLY: '1' },
    code: 2,
  },
  {
    row: 'an update that changes nothing sends nothing',
    words: ['vms', 'update', 'vm-02', '--name', 'vm-02', '-o', 'name'],
    stdout: /^vms\/vm-02\n$/,
    stderr: /^vms\/vm-02: no changes; nothing to do\n$/,
  },
  {
    row: 'lists changes in the history',
    words: ['history'],
    stdout: /vmctl tags add --name/,
  },
  {
    row: 'the history for programs',
    words: ['history', '--limit', '1', '-o', 'json'],
    stdout: /^\[\s*\{[\s\S]*"requests"/,
  },
  {
    row: 'the history can be off',
    words: ['history', '--columns', 'command'],
    env: { VMCTL_HISTORY: 'off' },
    stdout: /vmctl/,
  },
  { row: 'a change for undo', words: ['tags', 'create', '--name', 'undone'] },
  {
    row: 'undo shows what it would send',
    words: ['undo', '--dry-run', '--yes'],
    stdout: /DRY RUN/,
  },
  { row: 'undo of an unknown number', words: ['undo', '99999'], code: 3 },
  { row: 'timing', words: [...vm, '--timing'], stderr: /ms/ },
  {
    row: 'a sandbox is another server',
    words: ['vms', 'start', 'vm-02', '--sandbox'],
    env: { VMCTL_READ_ONLY: '1' },
    stderr: /^vms\/vm-02: up\n$/,
  },
  {
    row: 'a sandbox and another server contradict each other',
    words: ['--sandbox', '--url', 'https://x', 'vms', 'list'],
    code: 2,
    stderr: /--url/,
  },
  { row: 'a recording is a new file', words: [...vm, '--record', '/dev/null'], code: 2 },
  {
    row: 'a replay needs a recording',
    words: ['serve', '--replay', '/dev/null'],
    code: 2,
    stderr: /:1:1: the text is empty/,
  },
  {
    row: 'refuses --replay with --data',
    words: ['serve', '--replay', 'x', '--data', 'y'],
    code: 2,
  },
  {
    row: 'latency is a duration',
    words: ['serve', '--memory', '--delay', 'soon'],
    code: 2,
    stderr: /hint: use 200ms/,
  },
  {
    row: 'nothing in the background is nothing to stop',
    words: ['serve', '--stop'],
    stdout: '',
    stderr: /no server is running/,
  },
  {
    row: 'a server in the background runs no command',
    words: ['serve', '--detach', '--memory', '--', 'true'],
    code: 2,
  },
  {
    row: 'verbose says the steps',
    words: [...vm, '-v'],
    stderr: /^> server .*\n> find vm-01$/m,
  },
  { row: 'another version of the API', words: [...vm, '--api-version', '3'], code: 6 },
  ...['bash', 'zsh', 'fish', 'powershell'].map((shell) => ({
    row: `completion ${shell}`,
    words: ['completion', shell],
    stdout: /vmctl/,
  })),
  ...[
    'flags',
    'environment',
    'output',
    'errors',
    'exit-codes',
    'search',
    'references',
    'waiting',
    'scripting',
    'accessibility',
    'offline',
  ].map((topic) => ({
    row: `help ${topic}`,
    words: ['help', topic],
    stdout: /\w/,
    stderr: '' as const,
  })),
];

describe.each([
  ['grammar', grammar],
  ['output', output],
  ['exit codes', exits],
  ['tools', tools],
])('%s', (_, rows) => {
  it.each(rows.map((one) => [one.row, one] as const))('%s', async (_row, one) => {
    const { words, input, env, code = 0, stdout, stderr } = one;
    const outcome = await desk.home().runHere(words, env, input);
    expect(outcome.code, outcome.stderr).toBe(code);
    for (const [text, wanted] of [
      [outcome.stdout, stdout],
      [outcome.stderr, stderr],
    ] as const) {
      if (wanted === '') expect(text).toBe('');
      else if (wanted) expect(text).toMatch(wanted);
    }
  });
});

describe('nouns', () => {
  const promised = `vms hosts clusters datacenters clusterlevels storagedomains disks diskattachments
    files cdroms imports networks nics affinitygroups affinitylabels users groups domains permissions
    tags bookmarks glustervolumes bricks hooks events statistics devices hoststorage login logout
    whoami context config api apply diff export wait watch search-help explain doctor completion serve
    help dc sd attachments labels perms volumes stats`;

  it.each(promised.split(/\s+/))('%s is one', async (name) => {
    const { code, stdout } = await desk.run([name, '--help']);
    expect([name, code]).toEqual([name, 0]);
    expect(stdout).toContain('Usage:');
  });

  it('are all explained, on one screen', async () => {
    for (const { name } of nouns) {
      const { code, stdout } = await desk.run([name, '--help']);
      expect([name, code]).toEqual([name, 0]);
      expect(stdout.split('\n').length, name).toBeLessThan(50);
    }
  });
});

describe('global flags', () => {
  const promised = `--context --url --username --password-file --ca-file --insecure --output --columns
    --sort --no-headers --query --quiet --debug --debug-file --timing --timeout --retries --yes
    --no-input --dry-run --curl --no-color --color --utc --pager --record --sandbox`;
  const known = settingNames.flatMap((name) => settings[name].flags?.match(/--[\w-]+/g) ?? []);

  it.each(promised.split(/\s+/))('%s is one', (flag) => {
    expect(known).toContain(flag);
  });

  it.each([
    'CONTEXT',
    'URL',
    'USERNAME',
    'PASSWORD',
    'PASSWORD_FILE',
    'TOKEN',
    'CA_FILE',
    'INSECURE',
    'OUTPUT',
    'TIMEOUT',
    'CONFIG_DIR',
    'NO_INPUT',
    'DEBUG',
    'PAGER',
    'READ_ONLY',
  ])('VMCTL_%s is understood', (name) => {
    expect(settingNames.map((one) => settings[one].env)).toContain(`VMCTL_${name}`);
  });
});
