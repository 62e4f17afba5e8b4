/** Scenes of examples about signing in, remembered servers and settings. */
import { expect } from 'vitest';
import { notes, prints, type Scene, shows, stranger } from './scene.ts';

/** User without credentials in the environment, with sign-ins at two servers. */
const at = (host: string, more = '') =>
  `vmctl login https://${host} --username admin@internal ${more} --password-file password.txt`;
const both = `${at('engine.example.com')}
${at('lab.example.com', '-c lab')}`;
const one = { env: stranger, before: both };

/** A trusted file in the folder. */
const trusted = `${both}\necho 'context: lab' > .vmctl.yaml && vmctl context trust`;

const login = 'vmctl login https://engine.example.com --username admin@internal';

/** Program that submits the sign-in page, and follows the redirection. */
const browser = `#!/usr/bin/env node
const page = new URL(process.argv[2]);
const form = page.searchParams;
form.set('username', 'admin@internal');
form.set('password', 'not-a-secret');
void fetch(page.origin + page.pathname, { method: 'POST', body: form });`;

/** Program in place of curl, for a service that accepts the ticket. */
const curl = `#!/bin/sh
export VMCTL_URL=https://engine.example.com VMCTL_USERNAME=admin@internal
printf '{"access_token": "%s"}\\n200' "$(VMCTL_PASSWORD=not-a-secret vmctl auth token)"`;

/** First messages of an agent. */
const agent = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'agent', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** By example. */
export const scenesOfSessions: Readonly<Record<string, Scene>> = {
  [login]: {
    env: { ...stranger, VMCTL_PASSWORD: 'not-a-secret' },
    after: shows('vmctl context list', /^true +engine\.example\.com +https:/m),
  },
  "vmctl login https://lab.example.com --username admin@internal -c lab --password-command 'pass lab'":
    { env: stranger, after: shows('vmctl whoami -o json', /"password_from": "command"/) },
  [`${login} --password-stdin < password.txt`]: {
    env: stranger,
    after: shows('vmctl whoami', /admin@internal/),
  },
  [`${login} --ca-fingerprint "$FINGERPRINT"`]: {
    // The test environment does not trust the authority.
    env: { ...stranger, VMCTL_PASSWORD: 'not-a-secret', NODE_EXTRA_CA_CERTS: undefined },
    after: shows('vmctl context show -o json', /"ca_fingerprint": "[0-9A-F:]{95}"/),
  },
  'vmctl login https://engine.example.com --web': {
    env: { ...stranger, DISPLAY: ':0' },
    before: `cat > bin/xdg-open <<'END'\n${browser}\nEND\nchmod +x bin/xdg-open`,
    after: shows('vmctl whoami -o json', /"password_from": "web"/),
  },
  'vmctl login https://engine.example.com --kerberos': {
    env: stranger,
    before: `cat > bin/curl <<'END'\n${curl}\nEND\nchmod +x bin/curl`,
    after: shows('vmctl whoami -o json', /"password_from": "kerberos"/),
  },
  'vmctl logout': {
    ...one,
    after: async (told) => {
      notes(/signed out admin@internal at https:\/\/lab\.example\.com/)(told);
      expect((await told.shell.run('vmctl logout', told.env)).stderr).toContain('not signed in');
    },
  },
  'vmctl logout -c lab': {
    ...one,
    after: notes(/signed out admin@internal at https:\/\/lab\.example\.com/),
  },
  'vmctl mcp': { input: agent, after: prints(/"serverInfo"/, /"name":"vms"/) },
  'vmctl mcp --context lab --nouns vms,disks --allow-changes': {
    ...one,
    input: agent,
    after: prints(/"name":"vms","description":"[^"]*start/),
  },
  'vmctl whoami': { ...one, after: prints(/admin@internal/, /lab\.example\.com/) },
  'vmctl whoami -c lab -o json': { ...one, after: prints(/"context": "lab"/) },
  'vmctl auth token': { ...one, after: prints(/^[\w-]{86}\n$/) },
  'vmctl auth token -c lab -o json': {
    ...one,
    after: prints(/"expires": "20/, /"url": "https:\/\/lab\.example\.com/),
  },
  'vmctl context list': { ...one, after: prints(/engine\.example\.com/, /^true +lab /m) },
  'vmctl context show': { ...one, after: prints(/lab\.example\.com/) },
  'vmctl context show lab -o json': { ...one, after: prints(/"name": "lab"/) },
  'vmctl context use lab': {
    env: stranger,
    before: `${both}\nvmctl context use engine.example.com`,
    after: shows('vmctl context show', /lab\.example\.com/),
  },
  'vmctl context trust': {
    env: stranger,
    before: `${both}\necho 'context: engine.example.com' > .vmctl.yaml`,
    after: shows('vmctl context show -o json', /"name": "engine\.example\.com"/),
  },
  'vmctl context trust ./infra': {
    env: stranger,
    before: `${both}\nmkdir infra && echo 'context: lab' > infra/.vmctl.yaml`,
    after: notes(/trusted .*infra\/\.vmctl\.yaml: context lab/),
  },
  'vmctl context trust --list': { env: stranger, before: trusted, after: prints(/lab +trusted/) },
  'vmctl context trust --remove': {
    env: stranger,
    before: trusted,
    after: notes(/no longer trusted: .*\.vmctl\.yaml/),
  },
  'vmctl context set lab --protected': {
    ...one,
    after: async ({ shell, env }) => {
      const { code, stderr } = await shell.run('vmctl vms stop web01 --yes', env);
      expect([code, stderr]).toEqual([12, expect.stringContaining('--confirm lab')]);
    },
  },
  'vmctl context set lab --read-only': {
    ...one,
    after: async ({ shell, env }) =>
      expect((await shell.run('vmctl vms stop web01', env)).stderr).toContain('read'),
  },
  'vmctl context set lab --name testing': {
    ...one,
    after: shows('vmctl context list', /^true +testing +https:\/\/lab/m),
  },
  'vmctl context delete lab --yes': {
    ...one,
    after: async ({ look }) => expect(await look('vmctl context list')).not.toMatch(/lab/),
  },
  'vmctl alias list': {
    before: "vmctl alias set on 'vms start $1'",
    after: prints(/^on +vms start \$1$/m),
  },
  'vmctl alias list -o json': {
    before: "vmctl alias set on 'vms start $1'",
    after: ({ stdout }) => expect(JSON.parse(stdout)).toHaveLength(1),
  },
  "vmctl alias set on 'vms start $1'": {
    after: shows('vmctl alias list', /^on +vms start \$1$/m),
  },
  "vmctl alias set on-host 'vms list --search host=$1'": {
    after: shows('vmctl on-host node1 -o name', /^vms\//m),
  },
  'vmctl alias delete on': {
    before: "vmctl alias set on 'vms start $1'",
    after: async ({ look }) => expect(await look('vmctl alias list')).not.toMatch(/^on /m),
  },
  'vmctl config list': { after: prints(/output/) },
  'vmctl config list -o json': { after: ({ stdout }) => void JSON.parse(stdout) },
  'vmctl config set output wide': { after: shows('vmctl config list', /output +wide/) },
  'vmctl config list --origin': {
    before: 'vmctl config set retries 5',
    after: prints(/^retries +5 +defaults in .*config\.json$/m),
  },
  'vmctl config set vms.columns name,status,host.name': {
    after: shows('vmctl vms list', /^NAME +STATUS +HOST\n/),
  },
  'vmctl config set vms.output json -c lab': {
    ...one,
    after: async ({ shell, env, stderr }) => {
      expect(stderr).toContain('vms.output is json in the context lab');
      const { stdout } = await shell.run('vmctl config list --origin -o csv', env);
      expect(stdout).toMatch(/^vms\.output,json,context lab in /m);
    },
  },
  'vmctl config unset vms.columns': {
    before: 'vmctl config set vms.columns name',
    after: async ({ look }) => expect(await look('vmctl config list')).not.toContain('vms.columns'),
  },
  'vmctl config unset output': {
    before: 'vmctl config set output wide',
    after: async ({ look }) => expect(await look('vmctl config list')).not.toMatch(/output +wide/),
  },
};
