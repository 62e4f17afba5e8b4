/** Known differences between our documents and the recorded ones, with reasons, by pattern. */

export interface Exception {
  /** Matches `KIND MEMBER`: `/vms up /display/address`. */
  readonly what: RegExp;
  /** Restricts the exception to objects with this value of a member. */
  readonly where?: readonly [member: string, value: string];
  readonly why: string;
}

const blank = ['@id', '00000000-0000-0000-0000-000000000000'] as const;

export const exceptions: readonly Exception[] = [
  {
    what: /^\/datacenters\/\{id\} \/(mac_pool|storage_format)/,
    where: ['/status', 'uninitialized'],
    why: 'The pool is the one of all clusters, and the format follows the first storage domain, which is missing.',
  },
  {
    what: /^(\/clusters\/\{id\}\/networks|\/disks\/\{id\}) \/description is/,
    why: 'A single object was recorded, with a description; others have an empty description.',
  },
  {
    what: /^\/disks\/\{id\} \/qcow_version /,
    where: ['/format', 'raw'],
    why: 'The single recorded disk is qcow2; a raw image has no qcow2 version.',
  },
  {
    what: /^\/clusters(\/\{id\})? \/custom_scheduling_policy_properties/,
    where: ['/name', 'Default'],
    why: 'The default cluster of an engine has no properties of its policy (recorded from 4.5.8).',
  },
  {
    what: /^\/templates\/\{id\} \/(cluster|cpu_profile|version\/version_name)/,
    where: blank,
    why: 'Blank was not recorded separately: it belongs to every data center, and its version has no name.',
  },
  {
    what: /^\/vms(\/\{id\})? up \/display\/(secure_port|certificate)/,
    where: ['/display/type', 'vnc'],
    why: 'Recorded VMs have SPICE, which is encrypted; VNC has one port, and no certificate.',
  },
  {
    what: /^\/vms\/\{id\}\/snapshots preview \/vm\/(custom_|initialization\/|stop_reason)/,
    why: 'A single preview was recorded, of a VM with custom settings and a stop reason.',
  },
  {
    what: /^\/vms\/\{id\}\/nics(\/\{id\})? \/vnic_profile/,
    why: 'The recorded NICs have a vNIC profile. A NIC without one is valid (recorded from 4.5.8).',
  },
  {
    what: /\/display\/single_qxl_pci is/,
    why: 'Engines of version 4.5 no longer send it.',
  },
  {
    what: /^\/(vms|vms\/\{id\}) (not )?up \/(numa_tune_mode|tunnel_migration)/,
    why: 'Engines of version 4.5 show the mode only for VMs with NUMA nodes, and tunnel migration only if it was set.',
  },
  {
    what: /^\/vms\/\{id\}\/snapshots preview \/vm\/(numa_tune_mode|tunnel_migration|initialization is)/,
    why: 'The same holds for the VM in a snapshot, and a VM without initialization does not show it.',
  },
  {
    what: /^\/templates\/\{id\} \/time_zone/,
    where: blank,
    why: 'Blank has no time zone unless a user sets one.',
  },
];
