/** Where our documents differ from the recorded ones, and why: each line says it for a pattern. */

export interface Exception {
  /** Matches `KIND MEMBER`: `/vms up /display/address`. */
  readonly what: RegExp;
  /** It holds for objects of which a member has this value alone. */
  readonly where?: readonly [member: string, value: string];
  readonly why: string;
}

const blank = ['@id', '00000000-0000-0000-0000-000000000000'] as const;

export const exceptions: readonly Exception[] = [
  {
    what: /^\/datacenters\/\{id\} \/(mac_pool|storage_format)/,
    where: ['/status', 'uninitialized'],
    why: 'The pool is that of all clusters, the format that of the first storage domain; there is none yet.',
  },
  {
    what: /^(\/clusters\/\{id\}\/networks|\/disks\/\{id\}) \/description is/,
    why: 'One object was recorded, which somebody had described; others are described with nothing.',
  },
  {
    what: /^\/disks\/\{id\} \/qcow_version /,
    where: ['/format', 'raw'],
    why: 'The one disk that was recorded is qcow2; a raw image has no version of it.',
  },
  {
    what: /^\/clusters(\/\{id\})? \/custom_scheduling_policy_properties/,
    where: ['/name', 'Default'],
    why: 'The cluster that comes with an engine has no properties of its policy (recorded of 4.5.8).',
  },
  {
    what: /^\/templates\/\{id\} \/(cluster|cpu_profile|version\/version_name)/,
    where: blank,
    why: 'Blank was not recorded by itself: it is in every data center, and has no name as a version.',
  },
  {
    what: /^\/vms(\/\{id\})? up \/display\/(secure_port|certificate)/,
    where: ['/display/type', 'vnc'],
    why: 'Recorded machines have SPICE, which is encrypted; VNC has one port, and no certificate.',
  },
  {
    what: /^\/vms\/\{id\}\/snapshots preview \/vm\/(custom_|initialization\/|stop_reason)/,
    why: 'One preview was recorded, of a machine with settings of its own that was stopped for a reason.',
  },
  {
    what: /^\/vms\/\{id\}\/nics(\/\{id\})? \/vnic_profile/,
    why: 'The recorded NICs have a vNIC profile. A NIC without one is valid (recorded of 4.5.8).',
  },
  {
    what: /\/display\/single_qxl_pci is/,
    why: 'Engines of version 4.5 do not send it any more.',
  },
  {
    what: /^\/(vms|vms\/\{id\}) (not )?up \/(numa_tune_mode|tunnel_migration)/,
    why: 'Engines of version 4.5 show the mode of VMs with NUMA nodes alone, and migration through tunnels where it was chosen.',
  },
  {
    what: /^\/vms\/\{id\}\/snapshots preview \/vm\/(numa_tune_mode|tunnel_migration|initialization is)/,
    why: 'The same holds for the VM in a snapshot, and a VM without initialization does not show it.',
  },
  {
    what: /^\/templates\/\{id\} \/time_zone/,
    where: blank,
    why: 'Blank has no time zone until somebody changes it.',
  },
];
