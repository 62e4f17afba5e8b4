/** Faults of networks and host networks. */
import type { FaultTexts } from '../notation/faults.ts';

export const networkFaults = {
  NETWORK_NAME_SERVER_INVALID: {
    status: 400,
    text: 'Cannot {action} Network. The name server {address} is no IP address.',
  },
  PROFILE_PROPERTY_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} VNIC Profile. The property {name} does not exist, or its value is not valid.',
  },
  NETWORK_NAME_LIKE_BOND: {
    status: 400,
    text: 'Cannot {action} Network. The name of a network cannot start with "bond".',
  },
  MANAGEMENT_NETWORK: {
    status: 400,
    text: 'Cannot {action} Network. The management network cannot be removed.',
  },
  NETWORK_NOT_FOR_VMS: {
    status: 409,
    text: 'Cannot {action} Network. {attribute} is for VM networks (usage vm).',
  },
  NETWORK_DATA_CENTER_FIXED: {
    status: 400,
    text: 'Cannot {action} Network. A network cannot move to another data center.',
  },
  NETWORK_USED_BY_RUNNING_VMS: {
    status: 409,
    text: 'Cannot {action} Network. VMs that run are plugged into it: {names}.',
  },
  NETWORK_IN_ISCSI_BOND: {
    status: 400,
    text: 'Cannot {action} Network. It belongs to iSCSI bond {names}.',
  },
  NETWORK_ALREADY_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} Network. The cluster has network {network} already.',
  },
  NETWORK_OF_OTHER_DATA_CENTER: {
    status: 400,
    text: 'Cannot {action} Network. Network {network} belongs to another data center.',
  },
  MANAGEMENT_NETWORK_REQUIRED: {
    status: 400,
    text: 'Cannot {action} Network. The management network is always required.',
  },
  MANAGEMENT_NETWORK_UNSET: {
    status: 400,
    text: 'Cannot {action} Network. A cluster has a management network; give another network that role.',
  },
  MANAGEMENT_NETWORK_FIXED: {
    status: 400,
    text: 'Cannot {action} Network. The management network of a cluster with hosts cannot be changed.',
  },
  NETWORK_IN_USE_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} Network. VMs of the cluster use it: {names}.',
  },
  NETWORK_LABEL_INVALID: {
    status: 400,
    text: 'Cannot {action} Network label. "{label}" is not valid: up to 50 ASCII letters, digits, "_" and "-".',
  },
  NETWORK_ALREADY_LABELED: {
    status: 400,
    text: 'Cannot {action} Network label. The network has the label {label} already.',
  },

  PROFILE_NETWORK_FIXED: {
    status: 400,
    text: 'Cannot {action} vNIC profile. It cannot move to another network.',
  },
  PROFILE_WITHOUT_VMS: {
    status: 400,
    text: 'Cannot {action} vNIC profile. Virtual machines do not use network {network}.',
  },
  PROFILE_PASS_THROUGH: {
    status: 400,
    text: 'Cannot {action} vNIC profile. A profile that passes through has no {attribute}.',
  },
  PROFILE_NOT_PASS_THROUGH: {
    status: 400,
    text: 'Cannot {action} vNIC profile. {attribute} is for profiles that pass through.',
  },

  MAC_POOL_WITHOUT_RANGE: {
    status: 400,
    text: 'Cannot {action} MAC Pool. It needs a range of addresses.',
  },
  MAC_POOL_RANGE_INVALID: {
    status: 400,
    text: 'Cannot {action} MAC Pool. {from} to {to} is not a range of MAC addresses.',
  },
  MAC_POOL_OVERLAPS: {
    status: 409,
    text: 'Cannot {action} MAC Pool. Its ranges overlap with {other}.',
  },
  MAC_POOL_HAS_DUPLICATES: {
    status: 409,
    text: 'Cannot {action} MAC Pool. Addresses of it are used twice: {names}.',
  },
  MAC_POOL_DEFAULT_FIXED: {
    status: 400,
    text: 'Cannot {action} MAC Pool. Which pool is the default one cannot be changed.',
  },
  MAC_POOL_IS_DEFAULT: {
    status: 409,
    text: 'Cannot {action} MAC Pool. The default pool stays.',
  },

  HOST_NIC_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} Host. It has no interface {nic} that this can be done with.',
  },
  HOST_NIC_NOT_NAMED: {
    status: 400,
    text: 'Cannot {action} Host. An interface has to be named, by id or name.',
  },
  NETWORK_NOT_IN_CLUSTER: {
    status: 409,
    text: 'Cannot {action} Host. Network {network} is not in the cluster of the host.',
  },
  NETWORK_ISOLATION_FIXED: {
    status: 400,
    text: 'Cannot {action} Network. port_isolation cannot be changed: create another network.',
  },
  NETWORK_NEEDS_ADDRESS: {
    status: 409,
    text: 'Cannot {action} Host. The cluster uses network {network} for more than VMs: assign it an IP address.',
  },
  NETWORK_ALREADY_ON_HOST: {
    status: 409,
    text: 'Cannot {action} Host. Network {network} is attached to it already.',
  },
  NETWORK_ATTACHMENT_UNKNOWN: {
    status: 400,
    text: 'Cannot {action} Host. It has no network attachment {id}.',
  },
  ATTACHED_NETWORK_CHANGED: {
    status: 400,
    text: 'Cannot {action} Host. An attachment cannot change to another network.',
  },
  ATTACHMENT_ON_SLAVE_OR_VLAN: {
    status: 400,
    text: 'Cannot {action} network attachment. Interface {nic} belongs to a bond, or to a tagged network.',
  },
  NETWORK_NOT_IN_SYNC: {
    status: 409,
    text: 'Cannot {action} Host. Network {network} is out of sync on it; synchronize it first.',
  },
  NETWORK_USED_ON_HOST: {
    status: 409,
    text: 'Cannot {action} Host. VMs on it use network {network}: {names}.',
  },
  BOND_NAME_INVALID: {
    status: 400,
    text: 'Cannot {action} Host. "{nic}" is not a name of a bond: bond and up to 11 letters or digits.',
  },
  BOND_NEEDS_SLAVES: {
    status: 400,
    text: 'Cannot {action} Host. Bond {nic} needs two slaves at least.',
  },
  NIC_IS_NO_BOND: { status: 400, text: 'Cannot {action} Host. Interface {nic} is not a bond.' },
  SLAVE_USED_TWICE: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} cannot be a slave of two bonds.',
  },
  SLAVE_IS_BOND_OR_VLAN: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} is a bond itself and cannot be a slave.',
  },
  SLAVE_HAS_NETWORK: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} has a network or label and cannot be a slave.',
  },
  BOND_MODE_FOR_VMS: {
    status: 400,
    text: 'Cannot {action} Host. Bond {nic} in mode {mode} cannot carry VM network {network}.',
  },
  NIC_HAS_UNTAGGED_NETWORK: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} cannot have the untagged networks {network} and {other}.',
  },
  NIC_HAS_VLAN: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} cannot have the networks {network} and {other}: both have the tag {vlan}.',
  },
  STATIC_ADDRESS_INCOMPLETE: {
    status: 400,
    text: 'Cannot {action} Host. A static address of network {network} needs address and netmask.',
  },
  ADDRESS_BAD_FORMAT: {
    status: 400,
    text: 'Cannot {action} Host. "{address}" is not an address of that kind.',
  },
  NIC_ALREADY_LABELED: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} has the label {label} already.',
  },
  OTHER_NIC_LABELED: {
    status: 409,
    text: 'Cannot {action} Host. Interface {nic} has the label {label}; a label is on one interface of a host.',
  },
  NIC_NOT_LABELED: {
    status: 409,
    text: 'Cannot {action} Host. No interface of it has the label {label}.',
  },
  NIC_IS_NOT_SRIOV: {
    status: 400,
    text: 'Cannot {action} Interface. {nic} has no virtual functions.',
  },
  VIRTUAL_FUNCTIONS_IN_USE: {
    status: 400,
    text: 'Cannot {action} Interface. Virtual functions of it are in use: {names}.',
  },
  ALL_NETWORKS_ALLOWED: {
    status: 409,
    text: 'Cannot {action} Interface. All networks are allowed on the virtual functions of {nic}.',
  },
} as const satisfies FaultTexts;
