/** The nouns of the command line: names, aliases, and the group that help shows them in. */
import { type HandMadeVerb, handMadeNouns } from './hand-made.generated.ts';

export interface Noun {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly group: Group;
  readonly doc: string;
  /** Shown in `vmctl help nouns` only. */
  readonly more: boolean;
  /** The noun stands for a collection of the API. */
  readonly api: boolean;
}

export type Group = (typeof groups)[number];

export const groups = [
  'compute',
  'storage',
  'network',
  'scheduling',
  'access',
  'gluster',
  'observe',
  'providers',
  'tool',
] as const;

/** A line is `name (alias alias) what it is`; a `+` in front keeps it off the root page. */
const lines: Readonly<Record<Exclude<Group, 'tool'>, string>> = {
  compute: `
    vms () Virtual machines
    hosts () Hypervisor hosts
    clusters (cl) Clusters of hosts
    datacenters (dc) Data centers
    templates (tpl) Templates of virtual machines
    vmpools (pools) Pools of equal virtual machines
    snapshots (vmsnapshots) Snapshots of virtual machines
    clusterlevels (levels) Compatibility levels of clusters
    + instancetypes () Named hardware settings
    + applications () Applications that a guest reports
    + backups () Backups of virtual machines
    + checkpoints () Checkpoints of incremental backups
    + graphicsconsoles (consoles) Graphics consoles
    + mediateddevices () Mediated devices
    + numanodes () NUMA nodes of a virtual machine or host
    + reporteddevices () Devices that a guest reports
    + sessions () Sessions of users in a guest
    + watchdogs () Watchdog cards
    + cpuunits () Physical processors of a host
    + hosthooks () Scripts that a host runs around its operations
    + fenceagents () Power management agents of a host
    + clusterfeatures () Features that a compatibility level offers
    + enabledfeatures () Features switched on in a cluster
    + icons () Icons of virtual machines
    + operatingsystems (os) Guest operating systems that the service knows`,
  storage: `
    storagedomains (sd) Storage domains
    disks () Virtual disks
    diskattachments (attachments da) Disks as they are attached to a virtual machine
    disksnapshots () Snapshots of single disks
    diskprofiles () Storage quality of service for disks
    files (isos) ISO and floppy images of a storage domain
    cdroms (cd) CD-ROM drives
    imagetransfers (transfers) Uploads and downloads of disk images
    externalvmimports (imports vmimports) Imports of virtual machines from elsewhere
    + images () Images of an image storage domain or provider
    + externaltemplateimports () Imports of templates from elsewhere
    + storageconnections (connections) Connections to storage servers
    + storageconnectionextensions () Connection details of single hosts
    + storageserverconnections () Connections of an iSCSI bond
    + iscsibonds () iSCSI bonds
    + hoststorage (luns) Storage devices that a host sees`,
  network: `
    networks (net) Logical networks
    nics (vmnics) Network interfaces of virtual machines and templates
    hostnics () Network interfaces of hosts
    vnicprofiles () Profiles that connect interfaces to networks
    macpools () Pools of MAC addresses
    + networkattachments () Networks as they are attached to a host
    + networklabels () Labels by which networks reach interfaces
    + networkfilters () Network filters
    + networkfilterparameters () Parameters of a network filter
    + externalnetworkproviders () Network providers of a cluster
    + externalnetworkproviderconfigurations () Network provider settings of a host
    + unmanagednetworks () Networks of a host that the service does not manage
    + virtualfunctionallowedlabels () Labels allowed on virtual functions
    + virtualfunctionallowednetworks () Networks allowed on virtual functions
    + linklayerdiscoveryprotocolelements (lldp) What the switch says about a host interface
    + subnets () Subnets of a provider's network`,
  scheduling: `
    affinitygroups (ag) Virtual machines and hosts kept together or apart
    affinitylabels (labels al) Labels that tie virtual machines to hosts
    cpuprofiles () Processor quality of service
    quotas () Quotas of a data center
    qoss (qos) Quality of service entries of a data center
    + schedulingpolicies (policies) Scheduling policies
    + schedulingpolicyunits () Units that policies are made of
    + balances () Load balancing of a scheduling policy
    + filters () Filters of a scheduling policy
    + weights () Weights of a scheduling policy
    + quotaclusterlimits () Limits of a quota by cluster
    + quotastoragelimits () Limits of a quota by storage domain`,
  access: `
    users () Users
    groups () Groups of users
    domains (authdomains) Directories that users come from
    roles () Roles
    permissions (perms grants) Who has which role on what
    tags () Tags
    bookmarks () Saved searches
    + permits () What a role permits
    + sshpublickeys () SSH keys of a user
    + eventsubscriptions () Events that a user is told about
    + options () Settings of a user or of the service`,
  gluster: `
    glustervolumes (volumes gv) Gluster volumes
    glusterbricks (bricks) Bricks of a volume
    glusterhooks (hooks) Gluster hooks of a cluster`,
  observe: `
    events (log) The audit log
    jobs (tasks) What the service is doing
    statistics (stats) Measured values of an object
    hostdevices (devices) Devices of hosts, and those given to a virtual machine
    + steps () Steps of a job
    + katelloerrata (errata katelloerratum) Errata that apply to an object`,
  providers: `
    + externalhostproviders (hostproviders) Providers of hosts
    + externalhosts () Hosts that a provider knows
    + discoveredhosts () Hosts that a provider discovered
    + hostgroups () Host groups of a provider
    + computeresources () Compute resources of a provider
    + openstackimageproviders (imageproviders) OpenStack image providers
    + openstacknetworkproviders (networkproviders) OpenStack network providers
    + openstackvolumeproviders (volumeproviders) OpenStack volume providers
    + certificates () Certificates of a provider
    + authenticationkeys () Authentication keys of a volume provider
    + volumetypes () Volume types of a volume provider`,
};

function parseLine(line: string, group: Group): Noun {
  const [, more, name = '', aliases = '', doc = ''] =
    /^(\+ )?(\S+) \(([^)]*)\) (.*)$/.exec(line) ?? [];
  return {
    name,
    aliases: aliases === '' ? [] : aliases.split(' '),
    group,
    doc,
    more: more !== undefined,
    api: true,
  };
}

function nounsIn(group: Group): readonly Noun[] {
  if (group !== 'tool') {
    return lines[group]
      .trim()
      .split('\n')
      .map((line) => parseLine(line.trim(), group));
  }
  const tool = { aliases: [], group, more: false, api: false };
  const own = handMadeNouns.flatMap(({ name, aliases, doc }) =>
    doc === undefined ? [] : [{ ...tool, name, aliases, doc }],
  );
  return [...own, { ...tool, name: 'help', doc: 'Explain a noun, a verb or a topic' }];
}

/** All nouns, in the order in which help shows them. */
export const nouns: readonly Noun[] = groups.flatMap(nounsIn);

/** The hand-made verbs of a noun, without loading them. */
export function handMadeVerbs(noun: string): readonly HandMadeVerb[] {
  return handMadeNouns.find(({ name }) => name === noun)?.verbs ?? [];
}

let byName: ReadonlyMap<string, Noun> | undefined;

/** The noun that a word stands for: hyphens do not count, singular and aliases are understood. */
export function nounOf(word: string): Noun | undefined {
  byName ??= new Map(
    nouns.flatMap((noun) => [noun.name, ...noun.aliases].map((name) => [name, noun] as const)),
  );
  const plain = word.toLowerCase().replaceAll(/[-_]/g, '');
  return (
    byName.get(plain) ??
    byName.get(`${plain}s`) ??
    (plain.endsWith('y') ? byName.get(`${plain.slice(0, -1)}ies`) : undefined)
  );
}
