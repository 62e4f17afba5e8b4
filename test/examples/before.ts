/**
 * Preparation of examples: commands to run before those of a command or noun.
 * A line that begins with `=` prints an id. Examples use it for objects without names.
 */
import { otherId, sampleId } from '../../src/model/notation/commands.ts';

const stop = 'vms stop web01';
const preview = [stop, 'vms preview-snapshot web01 --snapshot before-upgrade'];
const cancel = `imagetransfers cancel ${sampleId}`;
const idle = [cancel, 'glustervolumes delete vol1 --cluster Default', 'hosts deactivate node1'];
const away = ['storagedomains deactivate data2 --data-center Default'];
const gone = [...away, 'storagedomains detach data2 --data-center Default'];
const unregistered = [
  stop,
  'vmpools delete desktops',
  cancel,
  'storagedomains deactivate data1 --data-center Default',
  'storagedomains detach data1 --data-center Default',
  'storagedomains attach data1 --data-center Default',
];
const exported = (noun: string, name: string) => [
  `${noun} export ${name} --storage-domain export1`,
  `${noun} delete ${name}`,
];
const pin = [
  stop,
  `vms update web01 --set-json 'placement_policy={"affinity":"pinned","hosts":[{"name":"node1"}]}'`,
];
const assigned = [...pin, 'hostdevices attach pci_0000_01_00_0 --vm web01'];
const started = 'glustervolumes start vol1 --cluster Default';
const functions =
  'hostnics set-virtual-functions eth3 --number 2 --no-all-networks-allowed --host node1';
const connection = `storageserverconnections attach ${otherId} --data-center Default --iscsibond multipath`;

/** By command, or by noun for all of its commands that are not listed themselves. */
export const before: Readonly<Record<string, readonly string[]>> = {
  'vms create': ['disks download root root.qcow2 --force'],
  'clusters upgrade': [cancel, 'hosts upgrade-check node1'],
  'vms delete': [stop],
  'vms auto-pin-cpu-and-numa-nodes': pin,
  'vms commit-snapshot': preview,
  'vms undo-snapshot': preview,
  'vms preview-snapshot': [stop],
  'vms export': [stop],
  'vms import': [stop, ...exported('vms', 'web01')],
  'vms register': unregistered,
  'vms reorder-mac-addresses': [stop],
  'vms start': [stop],
  'vms thaw-filesystems': ['vms freeze-filesystems web01'],
  'hosts copy-host-networks': [`networkattachments delete ${sampleId} --host node1`],
  'hosts setup-networks': [`networkattachments delete ${sampleId} --host node1`],
  'hosts delete': idle,
  'hosts activate': idle,
  'hosts deactivate': [cancel],
  'hosts enroll-certificate': idle,
  'hosts install': idle,
  'hosts upgrade': [cancel, 'hosts upgrade-check node1'],
  'hosts force-select-spm': [cancel],
  'hosts fence': ['hosts update node1 --set power_management.enabled=true'],
  'templates create': [stop],
  'templates import': ['vmpools delete desktops', ...exported('templates', 'debian12')],
  'templates register': unregistered,
  'snapshots restore': [stop],
  backups: ['= backups create --disks web01_Disk1 --vm web01'],
  'backups create': [],
  'backups run': [],
  'vms export-ova': [stop],
  'vms import-ova': [stop, 'vms export-ova web01 web01.ova --force', 'vms delete web01'],
  'templates import-ova': [stop, 'vms export-ova web01 debian12.ova --force'],
  'backups restore': ['backups run web01 backups/web01', stop, 'vms delete web01'],
  checkpoints: ['backups create --disks web01_Disk1 --vm web01', '= checkpoints list --vm web01'],
  'mediateddevices create': [stop],
  'mediateddevices delete': [stop],
  'mediateddevices update': [stop],
  'numanodes update': [stop],
  'numanodes create': [stop],
  'numanodes delete': [stop],
  sessions: ['vms logon web01', '= sessions list --vm web01'],
  'watchdogs create': [stop, `watchdogs delete ${sampleId} --vm web01`],
  'watchdogs delete': [stop],
  'storagedomains attach': gone,
  'storagedomains delete': gone,
  'storagedomains detach': away,
  'storagedomains activate': away,
  'disks register': unregistered,
  'diskattachments delete': [
    '= diskattachments list --template debian12',
    `disks copy ${sampleId} --storage-domain data2`,
  ],
  'diskattachments detach': [cancel],
  'imagetransfers resume': [`imagetransfers pause ${sampleId}`],
  'externaltemplateimports create': [
    'templates export old --host node1 --directory /exports --filename old.ova',
  ],
  'storageconnections attach': ['storagedomains deactivate data2 --data-center Default'],
  'storageconnections detach': [
    ...away,
    `storageconnections attach ${sampleId} --storage-domain data2`,
  ],
  storageserverconnections: [connection],
  'storageserverconnections attach': [],
  'networks detach': ['networks attach legacy --cluster Default'],
  'nics delete': ['nics deactivate nic1 --vm web01'],
  'networkattachments create': [`networkattachments delete ${sampleId} --host node1`],
  'networklabels create': ['networklabels delete blue --network frontend'],
  unmanagednetworks: [
    'networks attach legacy --cluster Default',
    'networkattachments create --host node1 --network legacy --host-nic eth2',
    'networks detach legacy --cluster Default',
  ],
  virtualfunctionallowedlabels: [
    functions,
    'virtualfunctionallowedlabels attach blue --host node1 --nic eth3',
  ],
  'virtualfunctionallowedlabels attach': [functions],
  virtualfunctionallowednetworks: [
    functions,
    'virtualfunctionallowednetworks attach frontend --host node1 --nic eth3',
  ],
  'virtualfunctionallowednetworks attach': [functions],
  'affinitygroups remove-host': ['affinitygroups add-host apart node1 --cluster Default'],
  'affinitygroups remove-vm': ['affinitygroups add-vm apart web01 --cluster Default'],
  'affinitygroups remove-host-label': [
    'affinitygroups add-host-label apart gold --cluster Default',
  ],
  'affinitygroups remove-vm-label': ['affinitygroups add-vm-label apart gold --cluster Default'],
  'balances create': ['balances delete OptimalForEvenDistribution --policy quiet'],
  'weights create': ['weights delete PreferredHosts --policy quiet'],
  'glustervolumes get-profile-statistics': [
    started,
    'glustervolumes start-profile vol1 --cluster Default',
  ],
  'glustervolumes stop-profile': ['glustervolumes start-profile vol1 --cluster Default'],
  'glustervolumes rebalance': [started],
  'glustervolumes stop': [started],
  'glustervolumes stop-rebalance': [started, 'glustervolumes rebalance vol1 --cluster Default'],
  'glustervolumes wait': [started],
  'glusterbricks activate': [
    started,
    'glusterbricks migrate node1.example.com:/bricks/b1 --cluster Default --volume vol1',
  ],
  'glusterbricks migrate': [started],
  'glusterbricks decommission': [started],
  'glusterbricks stop-migrate': [
    started,
    'glusterbricks migrate node1.example.com:/bricks/b1 --cluster Default --volume vol1',
  ],
  'jobs clear': ['jobs end Backup --succeeded'],
  'jobs wait': ['jobs end Backup --succeeded'],
  'steps wait': ['steps end Copy --job Backup --succeeded'],
  hostdevices: assigned,
  'hostdevices attach': pin,
  'disks upload': [
    'disks download root root.qcow2 --force',
    'disks download root new.qcow2 --force',
  ],
  'disks verify': ['disks download root root.qcow2 --force'],
  'checkpoints delete': [
    '= backups create --disks web01_Disk1 --vm web01',
    `backups finalize ${sampleId} --vm web01`,
    '= checkpoints list --vm web01',
  ],
};
