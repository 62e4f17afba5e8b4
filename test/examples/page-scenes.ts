/** Preparation and checks of lines in README.md and docs. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { holds, imageTicket, ownAuthority, prints, type Scene, shows, stranger } from './scene.ts';

const inPostgres =
  'test/features/postgres/commands/postgres.test.ts runs it with a temporary PostgreSQL';

const inQemu = 'test/features/qemu/commands/boot.test.ts boots a VM with QEMU';

const inConsoleTest = 'test/features/qemu/commands/console.test.ts uses the tickets and the port';

const inMemoryTest = 'test/features/qemu/commands/snapshot-memory.test.ts restores the memory';

const betweenSites =
  'test/faults/handover-kills.test.ts moves a storage domain between two servers';

/** Lines that no test runs, and why. */
export const notRun: Readonly<Record<string, string>> = {
  'apt-get install qemu-system-x86 ovmf xorriso': inQemu,
  'vmctl serve --hypervisor qemu --data ./site': inQemu,
  'cp debian-12.7.0-amd64-netinst.iso site/iso/': inQemu,
  'vmctl vms console guest --serial': 'test/features/qemu/commands/serial.test.ts opens it',
  'vmctl vms console guest': inConsoleTest,
  'vmctl vms ticket guest --expiry 300 -o json': inConsoleTest,
  'vncviewer -SecurityTypes X509Vnc -X509CA site/ca.pem server.example.com::5900': inConsoleTest,
  'vmctl files list --storage-domain iso1 --refresh': inQemu,
  'vmctl vms create --name guest --cluster Default --template Blank --memory 2GiB --set-json \'os.boot.devices=["cdrom","hd"]\'':
    inQemu,
  'vmctl diskattachments create --vm guest --new-disk-name root --new-disk-size 10GiB --new-disk-format cow --new-disk-storage-domain data1 --interface virtio --bootable':
    inQemu,
  'vmctl cdroms change guest debian-12.7.0-amd64-netinst.iso': inQemu,
  'vmctl vms start guest': inQemu,
  'vmctl vms screenshot guest --file screen.png': inQemu,
  'vmctl snapshots create --vm guest --description before': inMemoryTest,
  'vmctl vms stop guest': inMemoryTest,
  'vmctl snapshots restore before --vm guest --restore-memory': inMemoryTest,
  'npm run demo   # starts a temporary server and runs the main commands against it':
    '.ci/run runs it, on two versions of Node',
  'npm test       # runs all tests': 'it would run itself',
  'sudo apt install ./build/vmctl_*_amd64.deb': '.ci/package-trial installs it',
  'sudo dnf install ./build/vmctl-*.x86_64.rpm': '.ci/package-trial installs it in a folder',
  'podman load -i build/vmctl-0.2.0-linux-x64.oci.tar': '.ci/package-trial runs the image',
  'podman run --rm -p 8443:8443 -p 54322:54322 -v vmctl-site:/var/lib/vmctl localhost/vmctl:0.2.0 serve --data /var/lib/vmctl/site --listen 0.0.0.0:8443 --images-listen 0.0.0.0:54322':
    '.ci/package-trial runs the image',
  'sudo systemctl enable --now vmctl-serve':
    '.ci/package-trial checks the unit, and runs what it runs as the user that it names',
  'sudo cat /var/lib/vmctl/site/admin-password': 'it belongs to the two before',
  'createdb --template=template0 --encoding=UTF8 --locale=C vmctl': inPostgres,
  'vmctl serve --store postgres://vmctl@db.example.com/vmctl --images /srv/images': inPostgres,
  'vmctl serve --store postgres://vmctl@db.example.com/vmctl --images /srv/images --listen 0.0.0.0:8443 --images-listen 0.0.0.0:54322':
    'test/faults/several-servers.test.ts does so, with three servers and HAProxy',
  'vmctl serve --copy-store sqlite:./site postgres://vmctl@db.example.com/vmctl --images /srv/images':
    inPostgres,
  'vmctl serve --copy-store postgres://vmctl@db.example.com/vmctl sqlite:./back --images /srv/images':
    inPostgres,
  'vmctl serve --data ./north --shared-storage ./storage': betweenSites,
  'vmctl serve --data ./south --shared-storage ./storage --listen 127.0.0.1:9443 --images-listen 127.0.0.1:9322':
    betweenSites,
  'vmctl storagedomains create --import --type data --host host1 --storage-type nfs --address filer --path /travel --attach Default':
    betweenSites,
  'vmctl vms list --storage-domain travel --unregistered': betweenSites,
  'vmctl vms register traveller --storage-domain travel --cluster Default': betweenSites,
};

const readme: Readonly<Record<string, Scene>> = {
  'npm install -g .': {
    folder: fileURLToPath(new URL('../..', import.meta.url)),
    // A separate prefix, without network access.
    before: 'printf "prefix=%s/prefix\\noffline=true\\naudit=false\\n" "$HOME" > .npmrc',
    after: shows('prefix/bin/vmctl --version', /^\d+\.\d+\.\d+/),
  },
  'vmctl completion bash > ~/.local/share/bash-completion/completions/vmctl': {
    before: 'mkdir -p ~/.local/share/bash-completion/completions',
    after: holds('.local/share/bash-completion/completions/vmctl', /complete -F _vmctl vmctl/),
  },
};

const server: Readonly<Record<string, Scene>> = {
  'vmctl serve --data ./site --listen 127.0.0.1:8443    # persistent, in ./site': {
    after: shows('vmctl vms list -o name && ls site/vmctl.db', /vms\/vm-01[\s\S]*site\/vmctl\.db/),
  },
  'vmctl serve --memory --speed 0 --inventory small     # in memory, without delays: for tests': {
    after: shows('vmctl vms list -o name', /vms\/vm-01/),
  },
  'vmctl serve --memory --dialect ovirt                 # paths and JSON of an oVirt engine': {
    after: shows('vmctl whoami', /dialect +ovirt/),
  },
  'vmctl serve --memory -- pytest                       # for one command, with VMCTL_* variables':
    { after: holds('tested.txt', /vms\/vm-01/) },
  'vmctl serve --memory --inventory site.yaml           # with the objects of a definition file': {
    before: "echo 'tags: [{ name: production }]' > site.yaml",
    after: shows('vmctl tags list -o name', /tags\/production/),
  },
  "vmctl serve --memory --fault 'operation=start,vm=web*,rate=0.1'   # one start of web* in ten fails":
    {
      after: shows('vmctl api GET /_vmctl/faults', /"operation":\s*"start".*"rate":\s*0\.1/),
    },
};

/** Names of the machines in a backup. */
const namesIn = (folder: string, backup: string) =>
  `vmctl serve --restore ${backup} --data ${folder}; vmctl serve --data ${folder} -- vmctl vms list -o name`;

const standIn: Readonly<Record<string, Scene>> = {
  'vmctl serve --memory --speed 0 -- ./run-tests.sh     # VMCTL_* are set for the command': {
    before: "echo 'vmctl vms list -o name' > run-tests.sh; chmod 700 run-tests.sh",
    after: prints(/vms\/vm-01/),
  },
  'vmctl serve --memory --ready-file ready.json &       # writes addresses as JSON when it is ready':
    {
      after: holds('ready.json', /"api_url"/),
    },
  "vmctl serve --memory --fault 'operation=start,vm=web*,rate=0.1' --fault operation=list,delay=2000":
    { after: shows('vmctl api GET /_vmctl/faults', /"delay":\s*2000/) },
  'vmctl serve requests --status 4xx': {
    before: 'vmctl api GET /nowhere || true',
    after: prints(/\/nowhere +404/),
  },
  'vmctl serve --backup site.backup                     # the running server of the context': {
    after: shows(namesIn('./elsewhere', 'site.backup'), /vms\/vm-01/),
  },
  'vmctl serve --backup site.backup --data ./site       # a folder, with or without a running server':
    {
      before: 'rm site.backup; vmctl serve --data ./site --inventory small -- true',
      after: shows('ls site.backup', /site/),
    },
  'vmctl serve --restore site.backup --data ./again     # into an empty folder': {
    after: shows('vmctl serve --data ./again -- vmctl vms list -o name', /vms\/vm-01/),
  },
};

const background: Readonly<Record<string, Scene>> = {
  'eval "$(vmctl serve --memory --detach --env)"': {
    env: stranger,
    rest: 'vmctl vms list -o name',
    after: prints(/vms\/vm-01/),
  },
  'vmctl serve --stop': { after: shows('ls "$HOME/.local/state/vmctl/servers"', /^$/) },
  'vmctl --record session.ndjson vms list': {
    after: holds('session.ndjson', /"recording":"vmctl"/),
  },
  'vmctl --record session.ndjson vms start vm-02        # appends to the same file': {
    after: holds('session.ndjson', /\/start"/),
  },
  'vmctl serve --replay session.ndjson -- vmctl vms start vm-02': {
    after: ({ stderr }) => expect(stderr).toMatch(/vms\/vm-02: up/),
  },
  'vmctl serve --memory --delay 200ms±50': {
    after: shows('vmctl api GET /_vmctl/faults', /"delay":\s*200/),
  },
};

const documents: Readonly<Record<string, Scene>> = {
  'vmctl vms get vm-03 --all-content --query initialization.configuration.data -o tsv > vm-03.ovf':
    { after: holds('vm-03.ovf', /<Name>vm-03<\/Name>/) },
  'vmctl vms create --cluster Default -f vm-03.ovf --name again': {
    after: shows('vmctl vms list -o name', /vms\/again/),
  },
  'vmctl vms export-ova vm-02 vm-02.ova': { after: holds('vm-02.ova', /^vm\.ovf/) },
  'vmctl vms import-ova vm-02.ova --name vm-02-copy --storage-domain data2': {
    before: 'vmctl vms export-ova vm-02 vm-02.ova --force',
    after: shows('vmctl diskattachments list --vm vm-02-copy', /vm-02_Disk1/),
  },
  'vmctl templates import-ova vm-02.ova --name golden --storage-domain data2': {
    before: 'vmctl vms export-ova vm-02 vm-02.ova --force',
    after: shows('vmctl templates list', /golden +1 +ok/),
  },
};

const ticketFile = `cat > ticket.json << 'END'
{"uuid": "t", "size": 1048576, "ops": ["read", "write"], "timeout": 3600,
 "url": "file:///var/tmp/disk.raw"}
END`;
const daemonOfTicket = 'vmctl images serve --ticket ticket.json --ready-file ready.json';
const daemonOfSocket = 'vmctl images serve --control-socket control.sock --no-tls &';
const control = 'curl --unix-socket control.sock';
const added = `${imageTicket('ticket.json')}
${control} -sf -T ticket.json http://localhost/tickets/t`;

const daemon: Readonly<Record<string, Scene>> = {
  [ticketFile]: { after: holds('ticket.json', /"uuid": "t"/) },
  [daemonOfTicket]: {
    before: 'truncate -s 1M disk.raw',
    after: (told) => holds('ready.json', /"images": \[\s*"https:.*\/images\/t"/)(told),
  },
  [`vmctl images info https://127.0.0.1:54322/images/t --ca-file ${ownAuthority}`]: {
    serving: daemonOfTicket,
    after: prints(/size +1048576/),
  },
  'qemu-nbd --socket /run/user/1000/disk.nbd --persistent --shared 8 --format qcow2 disk.qcow2': {
    needs: 'qemu-nbd',
    before: 'qemu-img create -q -f qcow2 disk.qcow2 1M',
    behind: `until [ -S disk.nbd ]; do kill -0 $!; sleep 0.02; done
qemu-img info "nbd+unix:///?socket=$PWD/disk.nbd"
kill $!; wait`,
    after: prints(/virtual size: 1 MiB/),
  },
  [daemonOfSocket]: {
    after: shows(`${control} -s -X DELETE -w '%{http_code}' http://localhost/tickets/t`, /204/),
  },
  [`${control} -T ticket.json http://localhost/tickets/t`]: {
    serving: daemonOfSocket,
    before: imageTicket('ticket.json'),
    after: shows(`${control} -s http://localhost/tickets/t`, /1048576/),
  },
  [`${control} http://localhost/tickets/t`]: {
    serving: daemonOfSocket,
    before: added,
    after: prints(/"size":\s*1048576/, /"active":\s*false/),
  },
  [`${control} -X DELETE http://localhost/tickets/t`]: {
    serving: daemonOfSocket,
    before: added,
    after: shows(`${control} -s -w '%{http_code}' http://localhost/tickets/t`, /404/),
  },
};

/** By line. */
export const pageScenes: Readonly<Record<string, Scene>> = {
  ...readme,
  ...server,
  ...standIn,
  ...documents,
  ...background,
  ...daemon,
};
