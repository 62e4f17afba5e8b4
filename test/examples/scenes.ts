/** Preparation and checks of examples that run in a shell. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import {
  holds,
  imageTicket,
  notes,
  ownAuthority,
  prints,
  type Scene,
  shows,
  size,
  stranger,
} from './scene.ts';
import { scenesOfSessions } from './scenes-of-sessions.ts';

/** Image transfer with a ticket; the disk is large enough for the examples. */
const ticket = (direction: string, bytes = '16MiB') =>
  `vmctl disks create --name big --size ${bytes} --format raw --storage-domain data1 -q
vmctl imagetransfers create --disk big --direction ${direction} --query transfer_url -o tsv > url.txt
head -c 65536 /dev/urandom > part.raw`;
const written = `vmctl images read "$(cat url.txt)" --offset 1MiB --size 65536 -O back.raw
cmp part.raw back.raw && echo same`;

const url = 'https://host:54322/images/TICKET';
const scenesOfImages: Readonly<Record<string, Scene>> = {
  'vmctl disks upload https://images.example.com/root.raw.xz --storage-domain data1': {
    after: shows('vmctl disks list -o json', /"provisioned_size": 10485760/),
  },
  'zcat root.raw.gz | vmctl disks upload - --size 10GiB --name root --storage-domain data1': {
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
      expect(told.stderr).toContain('with remote-viewer');
      // The viewer is an independent process.
      await told.look('until [ -s seen.vv ]; do sleep 0.02; done');
      holds('seen.vv', /\[virt-viewer\]/)(told);
    },
  },
  'vmctl vms console web01 --serial': {
    before: `vmctl vms update web01 --set console.enabled=true -q
vmctl vms stop web01 -q
vmctl vms start web01 -q`,
    after: prints(
      /^ssh -t -p 2222 ovirt-vmconsole@engine\.example\.com connect --vm-id=\S+\n$|^ssh -t -p 2222 ovirt-vmconsole@127/,
    ),
  },
  'vmctl vms ssh web01': { after: prints(/^ssh 10(\.\d+){3}\n$/) },
  'vmctl vms ssh web01 --user root -- uptime': {
    after: prints(/^ssh -l root 10(\.\d+){3} uptime\n$/),
  },
  'vmctl vms ssh web01 --jump admin@bastion.example.com --dry-run': {
    after: prints(/^ssh -J admin@bastion\.example\.com 10(\.\d+){3}\n$/),
  },
  'vmctl vms scp web01:/etc/hosts . --dry-run': {
    after: prints(/^scp -- 10(\.\d+){3}:\/etc\/hosts \.\n$/),
  },
  'vmctl vms scp app.conf web01:/tmp/ --user root --dry-run': {
    after: prints(/^scp -o User=root -- app\.conf 10(\.\d+){3}:\/tmp\/\n$/),
  },
  'vmctl vms scp -r web01:/var/log/ logs --jump admin@bastion.example.com --dry-run': {
    after: prints(/^scp -r -J admin@bastion\.example\.com -- 10(\.\d+){3}:\/var\/log\/ logs\n$/),
  },
  'vmctl conformance': { after: prints(/GET \/vms list +conforms/) },
  'vmctl conformance https://engine.example.com --username admin@internal --differences': {
    after: notes(/ conform, 0 differ, /),
  },
  'vmctl conformance --changes -o json': {
    after: prints(
      /"operation": "POST \/datacenters add",\s+"specification": "[^"]+",\s+"verdict": "conforms"/,
    ),
  },
  'vmctl conformance --html report.html -q': { after: holds('report.html', /<!doctype html>/) },
  'vmctl ui': { typed: 'q', needs: 'script', after: prints(/vmctl {2}https:[\s\S]*>vms/) },
  "vmctl ui hosts --search 'status=up' --interval 30s": {
    typed: 'q',
    needs: 'script',
    after: prints(/status=up[\s\S]*>hosts/),
  },
  'vmctl vms ssh web01 --dry-run': { after: prints(/^ssh 10(\.\d+){3}\n$/) },
};

/** A site that is written down. */
const site = "echo 'tags: [{ name: production }, { name: web }]' > site.yaml";
const scenesOfSites: Readonly<Record<string, Scene>> = {
  'vmctl export > site.yaml': { after: holds('site.yaml', /^vms:/m) },
  'vmctl vms screenshot web01 > now.png': { after: holds('now.png', /PNG/) },
  'vmctl export clusters networks -o json': {
    after: ({ stdout }) =>
      expect(Object.keys(JSON.parse(stdout) as object)).toEqual(['clusters', 'networks']),
  },
  'vmctl diff site.yaml': {
    before: 'vmctl export tags > site.yaml',
    after: prints(/^$/),
  },
  // Each data center has a network called mgmt: definitions have names for one of them only.
  'vmctl export | vmctl diff - --exit-code': {
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
  'vmctl completion powershell > ~/vmctl.ps1': {
    after: holds('vmctl.ps1', /^Register-ArgumentCompleter -Native -CommandName vmctl/m),
  },
};

const update = 'vmctl vms update web01 --comment moved -q';
const twelveUpdates = Array.from(
  { length: 12 },
  (_, index) => `vmctl vms update web01 --comment ${index + 1} -q`,
).join('\n');
const comment = (pattern: RegExp) => shows('vmctl vms get web01 -o yaml', pattern);

const scenesOfHistory: Readonly<Record<string, Scene>> = {
  'vmctl history': { before: update, after: prints(/^1 .*vmctl vms update web01 .*possible$/m) },
  'vmctl history 12': { before: twelveUpdates, after: prints(/^ {2}comment: 11 -> 12$/m) },
  'vmctl history --all --limit 10 -o json': {
    before: twelveUpdates,
    after: ({ stdout }) => expect(JSON.parse(stdout)).toHaveLength(10),
  },
  'vmctl undo': { before: `${update}\nvmctl undo\n${update}`, after: comment(/^comment: ""$/m) },
  'vmctl undo 12': { before: twelveUpdates, after: comment(/^comment: ['"]?11['"]?$/m) },
  'vmctl undo --dry-run': { before: update, after: prints(/DRY RUN[\s\S]*"comment": ""/) },
};

const serves = (uuid: string, ca: string) =>
  shows(`vmctl images info "https://127.0.0.1:$PORT/images/${uuid}" --ca-file ${ca}`, /1048576/);
const controlled =
  'vmctl images serve --control-socket control.sock --unix-socket images.sock --no-tls';

const scenesOfDaemons: Readonly<Record<string, Scene>> = {
  'vmctl images serve --ticket ticket.json': {
    before: imageTicket('ticket.json'),
    after: serves('t', ownAuthority),
  },
  'vmctl images serve --ticket a.json b.json --listen 0.0.0.0:54322 --tls-cert c.pem --tls-key k.pem':
    {
      before: `${imageTicket('a.json')}
sed 's/"t"/"u"/' a.json > b.json
cp "$CERTIFICATE" c.pem; cp "$KEY" k.pem`,
      after: serves('u', '"$NODE_EXTRA_CA_CERTS"'),
    },
  [controlled]: {
    after: shows(
      'curl -s --unix-socket images.sock -X OPTIONS http://localhost/images/\\*',
      /zero/,
    ),
  },
  'curl --unix-socket control.sock -T ticket.json http://localhost/tickets/t': {
    serving: controlled,
    before: imageTicket('ticket.json'),
    after: shows('curl -s --unix-socket control.sock http://localhost/tickets/t', /1048576/),
  },
};

/** Names of the machines of a site in a folder. */
const namesIn = (folder: string) => `vmctl serve --data ${folder} -- vmctl vms list -o name`;
const restored = (backup: string) =>
  `vmctl serve --restore ${backup} --data ./restored && ${namesIn('./restored')}`;

/** A server in the background, for the shell that evaluates the line. */
const detached: Scene = {
  env: stranger,
  rest: `vmctl vms list -o name
vmctl serve --stop`,
  after: prints(/vms\/vm-01/),
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
  'eval "$(vmctl serve --memory --detach --env)"': detached,
  'vmctl serve --replay session.ndjson -- vmctl vms list': {
    before: 'vmctl --record session.ndjson vms list -q',
    after: prints(/web01 +up/),
  },
  'eval "$(vmctl serve --memory --detach --env)"   # until vmctl serve --stop': detached,
  'vmctl vms start vm-02 --sandbox      # a temporary server for one command': {
    after: notes(/vms\/vm-02: up/),
  },
  'vmctl vms start web01 --record session.ndjson': {
    before: 'vmctl vms stop web01 -q',
    after: holds('session.ndjson', /\/start"/),
  },
  'vmctl serve --replay session.ndjson -- vmctl vms start web01': {
    before: `vmctl vms stop web01 -q
vmctl --record session.ndjson vms start web01 -q
vmctl vms stop web01 -q`,
    after: notes(/vms\/web01: up/),
  },
  'vmctl serve --memory -- bash         # a shell with the server as its context': {
    input: 'vmctl vms list -o name\n',
    after: prints(/vms\/vm-01/),
  },
  'vmctl serve --memory --speed 0 --inventory hosts=10,vms=1000 -- ./test.sh': {
    before:
      "echo 'vmctl vms list -o id | wc -l; vmctl hosts list -o id | wc -l' > test.sh; chmod 700 test.sh",
    after: prints(/^ *1000\n *10\n$/),
  },
  'vmctl serve --inventory site.yaml    # objects of a definition': {
    before: site,
    after: shows('vmctl tags list -o name', /tags\/web/),
  },
  'vmctl serve requests': { before: 'vmctl vms list -q', after: prints(/GET +\S*\/api\/vms/) },
  'vmctl serve requests --status 4xx -o json': {
    before: 'vmctl vms get nobody || vmctl api GET /nowhere || true',
    after: prints(/"status": 404/),
  },
  'vmctl serve requests --follow -o jsonl': {
    meanwhile: 'vmctl vms list',
    after: prints(/"method":"GET"/),
  },
  'vmctl serve --backup site.backup': { after: shows(restored('site.backup'), /vms\/web01/) },
  'vmctl serve --restore site.backup --data ./again': {
    before: 'vmctl serve --backup site.backup',
    after: shows(namesIn('./again'), /vms\/web01/),
  },
};

const scenesOfTopics: Readonly<Record<string, Scene>> = {
  'vmctl vms create web03 --cluster Default --template debian12@latest': {
    after: shows('vmctl vms get web03 --columns template.name -o tsv', /^debian12$/m),
  },
  "vmctl vms list --search 'status=up'": { after: prints(/web01 +up/) },
  'vmctl vms start web01': {
    before: 'vmctl vms stop web01 -q',
    after: shows('vmctl vms list', /web01 +up/),
  },
  'vmctl vms list --query "[?status==\'up\'].name" -o tsv': { after: prints(/^web01$/m) },
  "vmctl vms list --query 'sum([].memory)'": { after: prints(/^\d+$/m) },
  'vmctl vms update web01 --memory 8GiB --dry-run': {
    after: async (told) => {
      prints(/PUT/, /8589934592/)(told);
      await shows('vmctl vms get web01 -o json', /"memory": 1073741824/)(told);
    },
  },
  "vmctl vms list --search 'status=up' --curl": {
    after: prints(/^curl .*\$\(vmctl auth token\)/m),
  },
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
  ...scenesOfHistory,
  ...scenesOfServers,
  ...scenesOfDaemons,
  ...scenesOfTopics,
};
