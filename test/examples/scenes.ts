/** What examples that run in a shell need before, and what must be so afterwards. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Environment, Outcome, Shell } from './shell.ts';

/** What a look at the result may use. */
export interface Told extends Outcome {
  readonly shell: Shell;
  /** What was in the environment of the example. */
  readonly env: Environment;
  /** Runs another script there, which must succeed; returns what it prints. */
  readonly look: (script: string) => Promise<string>;
}

export interface Scene {
  /** A script to run before. */
  readonly before?: string;
  readonly env?: Environment;
  readonly input?: string;
  /** Where it runs, if that is not the folder of its own. */
  readonly folder?: string;
  /** It does not end by itself: what somebody does until it prints something, and Ctrl-C is hit. */
  readonly meanwhile?: string;
  /** What is typed into the same shell behind it. */
  readonly rest?: string;
  /** What must be so afterwards; for a server: while it runs. */
  readonly after: (told: Told) => Promise<void> | void;
}

export const prints =
  (...patterns: readonly RegExp[]) =>
  ({ stdout }: Told) => {
    for (const pattern of patterns) expect(stdout).toMatch(pattern);
  };
export const notes =
  (pattern: RegExp) =>
  ({ stderr }: Told) =>
    expect(stderr).toMatch(pattern);
/** Something else shows it. */
export const shows =
  (script: string, pattern: RegExp) =>
  async ({ look }: Told) =>
    expect(await look(script)).toMatch(pattern);
export const holds =
  (file: string, pattern: RegExp) =>
  ({ shell }: Told) =>
    expect(shell.read(file)).toMatch(pattern);
const size =
  (file: string, bytes: number) =>
  ({ shell }: Told) =>
    expect(statSync(join(shell.folder, file)).size).toBe(bytes);

/** Somebody who is not signed in by the environment, but has signed in at two servers. */
const at = (host: string, more = '') =>
  `vmctl login https://${host} --username admin@internal ${more} --password-file password.txt`;
export const stranger: Environment = {
  VMCTL_URL: undefined,
  VMCTL_USERNAME: undefined,
  VMCTL_PASSWORD: undefined,
  VMCTL_CA_FILE: undefined,
};
const both = `${at('engine.example.com')}
${at('lab.example.com', '-c lab')}`;
const one = { env: stranger, before: both };

/** A transfer with its ticket; the disk is large enough for what the examples do. */
const ticket = (direction: string, bytes = '16MiB') =>
  `vmctl disks create --name big --size ${bytes} --format raw --storagedomain data1 -q
vmctl imagetransfers create --disk big --direction ${direction} --query transfer_url -o tsv > url.txt
head -c 65536 /dev/urandom > part.raw`;
const written = `vmctl images read "$(cat url.txt)" --offset 1MiB --size 65536 -O back.raw
cmp part.raw back.raw && echo same`;

const login = 'vmctl login https://engine.example.com --username admin@internal';
const scenesOfSessions: Readonly<Record<string, Scene>> = {
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
    // Nobody here trusts the authority by itself.
    env: { ...stranger, VMCTL_PASSWORD: 'not-a-secret', NODE_EXTRA_CA_CERTS: undefined },
    after: shows('vmctl context show -o json', /"ca_fingerprint": "[0-9A-F:]{95}"/),
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
  'vmctl whoami': { ...one, after: prints(/admin@internal/, /lab\.example\.com/) },
  'vmctl whoami -c lab -o json': { ...one, after: prints(/"context": "lab"/) },
  'vmctl context list': { ...one, after: prints(/engine\.example\.com/, /^true +lab /m) },
  'vmctl context show': { ...one, after: prints(/lab\.example\.com/) },
  'vmctl context show lab -o json': { ...one, after: prints(/"name": "lab"/) },
  'vmctl context use lab': {
    env: stranger,
    before: `${both}\nvmctl context use engine.example.com`,
    after: shows('vmctl context show', /lab\.example\.com/),
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
  'vmctl config list': { after: prints(/output/) },
  'vmctl config list -o json': { after: ({ stdout }) => void JSON.parse(stdout) },
  'vmctl config set output wide': { after: shows('vmctl config list', /output +wide/) },
  'vmctl config set retries 5': { after: shows('vmctl config list', /retries +5/) },
  'vmctl config unset output': {
    before: 'vmctl config set output wide',
    after: async ({ look }) => expect(await look('vmctl config list')).not.toMatch(/output +wide/),
  },
};

const url = 'https://host:54322/images/TICKET';
const scenesOfImages: Readonly<Record<string, Scene>> = {
  'vmctl disks upload https://images.example.com/root.raw.xz --storagedomain data1': {
    after: shows('vmctl disks list -o json', /"provisioned_size": 10485760/),
  },
  'zcat root.raw.gz | vmctl disks upload - --size 10GiB --name root --storagedomain data1': {
    before: 'vmctl disks delete root --yes',
    after: shows('vmctl disks verify root root.raw && echo same', /same/),
  },
  'vmctl disks download root - | gzip > root.raw.gz': {
    after: shows('zcat root.raw.gz > got && vmctl disks verify root got && echo same', /same/),
  },
  [`vmctl images options ${url}`]: { before: ticket('upload'), after: prints(/flush/) },
  [`vmctl images info ${url}`]: { before: ticket('download'), after: prints(/16777216/) },
  [`vmctl images extents ${url} -o json`]: {
    before: ticket('download'),
    after: ({ stdout }) => expect(JSON.parse(stdout)).toMatchObject([{ length: 16777216 }]),
  },
  [`vmctl images checksum ${url} --algorithm sha256`]: {
    before: ticket('download'),
    after: prints(/[0-9a-f]{64}/),
  },
  [`vmctl images read ${url} --size 512 | xxd`]: {
    before: ticket('download'),
    after: prints(/^000000 00 00 /, /000200/),
  },
  [`vmctl images read ${url} --offset 1MiB --size 4MiB -O part.raw`]: {
    before: `${ticket('download')}; rm part.raw`,
    after: size('part.raw', 4 * 2 ** 20),
  },
  [`vmctl images write ${url} part.raw --offset 1MiB`]: {
    before: ticket('upload'),
    after: shows(written, /same/),
  },
  [`vmctl images write ${url} - --no-flush`]: {
    before: ticket('upload'),
    input: 'these bytes',
    after: shows('vmctl images read "$(cat url.txt)" --size 11', /these bytes/),
  },
  [`vmctl images zero ${url} --offset 0 --size 1GiB --flush`]: {
    before: `${ticket('upload', '1GiB')}
vmctl images write "$(cat url.txt)" part.raw --offset 1MiB`,
    after: shows(
      `vmctl images read "$(cat url.txt)" --offset 1MiB --size 65536 | tr -d '\\0' | wc -c`,
      /^ *0$/m,
    ),
  },
  [`vmctl images flush ${url}`]: {
    before: `${ticket('upload')}
vmctl images write "$(cat url.txt)" part.raw --offset 1MiB --no-flush`,
    after: shows(written, /same/),
  },
  'vmctl vms console web01': {
    env: { DISPLAY: ':0' },
    after: async (told) => {
      expect(told.stderr).toContain('web01 is shown by remote-viewer');
      // The viewer is a program of its own, which goes on by itself.
      await told.look('until [ -s seen.vv ]; do sleep 0.02; done');
      holds('seen.vv', /\[virt-viewer\]/)(told);
    },
  },
};

/** A site that is written down. */
const site = "echo 'tags: [{ name: production }, { name: web }]' > site.yaml";
const scenesOfSites: Readonly<Record<string, Scene>> = {
  'vmctl export > site.yaml': { after: holds('site.yaml', /^vms:/m) },
  'vmctl export clusters networks -o json': {
    after: ({ stdout }) =>
      expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['clusters', 'networks']),
  },
  'vmctl diff site.yaml': {
    before: 'vmctl export tags > site.yaml',
    after: prints(/^$/),
  },
  // Each data center has a network called mgmt: definitions have names for one of them only.
  'vmctl export | vmctl diff -': {
    before: 'vmctl datacenters delete spare --yes',
    after: prints(/^$/),
  },
  'vmctl doctor': { after: prints(/127\.0\.0\.1/) },
  'vmctl doctor -o json': { after: ({ stdout }) => void JSON.parse(stdout) },
  'vmctl completion bash > ~/.local/share/bash-completion/completions/vmctl': {
    before: 'mkdir -p ~/.local/share/bash-completion/completions',
    after: shows('. ~/.local/share/bash-completion/completions/vmctl; complete -p vmctl', /vmctl/),
  },
  'vmctl completion zsh > ~/.zfunc/_vmctl': {
    before: 'mkdir -p ~/.zfunc',
    after: holds('.zfunc/_vmctl', /^#compdef vmctl/),
  },
  'vmctl completion fish > ~/.config/fish/completions/vmctl.fish': {
    before: 'mkdir -p ~/.config/fish/completions',
    after: holds('.config/fish/completions/vmctl.fish', /^complete/m),
  },
};

const scenesOfServers: Readonly<Record<string, Scene>> = {
  'vmctl serve --memory --inventory small -- vmctl vms list': { after: prints(/vm-01 +up/) },
  'vmctl serve --data ./site --listen 127.0.0.1:8443': {
    after: async (told) => {
      expect(await told.look('vmctl vms list -o name')).toContain('vms/vm-01');
      size('site/vmctl.db', statSync(join(told.shell.folder, 'site/vmctl.db')).size)(told);
    },
  },
  'vmctl serve --dialect ovirt --memory --speed 0 --ready-file ready.json': {
    after: (told) => holds('ready.json', /"api_url": ".*\/ovirt-engine\/api"/)(told),
  },
  'vmctl serve --memory -- bash         # a shell in which vmctl uses it': {
    input: 'vmctl vms list -o name\n',
    after: prints(/vms\/vm-01/),
  },
  'vmctl serve --memory --speed 0 --inventory hosts=10,vms=1000 -- ./test.sh': {
    before:
      "echo 'vmctl vms list -o id | wc -l; vmctl hosts list -o id | wc -l' > test.sh; chmod 700 test.sh",
    after: prints(/^ *1000\n *10\n$/),
  },
  'vmctl serve --inventory site.yaml    # as vmctl export wrote it': {
    before: site,
    after: shows('vmctl tags list -o name', /tags\/web/),
  },
};

const scenesOfTopics: Readonly<Record<string, Scene>> = {
  "vmctl vms list --search 'status=up'": { after: prints(/web01 +up/) },
  'vmctl vms start web01': {
    before: 'vmctl vms stop web01 -q',
    after: shows('vmctl vms list', /web01 +up/),
  },
  'vmctl nics list --vm web01 -o json': { after: prints(/"name": "nic1"/) },
  'vmctl vms list --query "[?status==\'up\'].name" -o tsv': { after: prints(/^web01$/m) },
  "vmctl vms list --query 'sum([].memory)'": { after: prints(/^\d+$/m) },
  'vmctl vms update web01 --memory 8GiB --dry-run': {
    after: async (told) => {
      prints(/PUT/, /8589934592/)(told);
      await shows('vmctl vms get web01 -o json', /"memory": 1073741824/)(told);
    },
  },
  "vmctl vms list --search 'status=up' --curl": { after: prints(/^curl .*VMCTL_TOKEN/m) },
  "vmctl vms list --search 'name=test*' -o name | vmctl vms stop -": {
    before: 'vmctl vms update web01 --name test1 -q',
    after: shows('vmctl vms list', /test1 +down/),
  },
  'vmctl nics list --vm web01': { after: prints(/nic1/) },
  'vmctl permissions list --on clusters/lab': {
    before: 'vmctl permissions grant --role UserRole --user jane@internal --on clusters/lab',
    after: prints(/UserRole +jane@internal/),
  },
  'vmctl glusterbricks list --cluster Default --volume vol1': { after: prints(/bricks\/b1/) },
  'vmctl wait vms/web01 --for status=up --timeout 5m': { after: notes(/web01/) },
  "vmctl wait disks/root --for 'status!=locked'": { after: notes(/root/) },
  'vmctl wait vms/web01 vms/web02 --for gone': {
    before: `vmctl imagetransfers list -o id | vmctl imagetransfers cancel -
vmctl vms stop web01
vmctl vms delete web01 web02 --yes`,
    after: notes(/web0[12]: absent\n.*web0[12]: absent/),
  },
  'id=$(vmctl vms create --name web01 --cluster Default --template Blank -q)': {
    before: 'vmctl vms update web01 --name web00 -q',
    after: shows('vmctl vms list', /web01 +down/),
  },
  "vmctl vms list --search 'status=down' -o name | vmctl vms delete -": {
    before: `vmctl imagetransfers list -o id | vmctl imagetransfers cancel -
vmctl vmpools delete desktops --yes`,
    after: async ({ look }) => expect(await look('vmctl vms list -o name')).toBe('vms/web01\n'),
  },
  "vmctl vms list -o json --query '[].{name: name, memory: memory}'": {
    after: ({ stdout }) =>
      expect(JSON.parse(stdout)).toContainEqual({ name: 'web01', memory: 1073741824 }),
  },
  "vmctl vms list --search 'name=web* and status=up'": { after: prints(/web01/) },
  "vmctl vms list --search 'cluster=lab sortby name desc' --limit 20 --page 2": {
    after: prints(/^$/),
  },
  "vmctl hosts list --search 'vms.status=up'": { after: prints(/node1/) },
  "vmctl events list --search 'severity > normal sortby time desc'": {
    before: "vmctl events report 'disk is nearly full' --severity warning",
    after: prints(/warning +.*disk is nearly full/),
  },
};

/** By example. */
export const scenes: Readonly<Record<string, Scene>> = {
  ...scenesOfSessions,
  ...scenesOfImages,
  ...scenesOfSites,
  ...scenesOfServers,
  ...scenesOfTopics,
};
