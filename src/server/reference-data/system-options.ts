/**
 * Service settings that clients request by name, with the values that the server enforces. A value
 * applies to a compatibility version, or to all of them (`general`).
 */
import { largestBlockDiskGib } from '../../model/disk-sizes.ts';
import { serviceVersion } from '../../version.ts';
import { clusterLevels } from './cluster-levels.ts';
import { formatMigrationPolicies } from './migration-policies.ts';
import { findProcessorModel } from './processor-models.ts';

/** Maximum VMs of a VM pool: one request creates all of them. */
export const largestPool = 1_000;

type Values = Readonly<Record<string, string>>;

/** The same value for each compatibility version, or one that depends on it. */
function byLevel(value: string | ((level: string) => string)): Values {
  return Object.fromEntries(
    Object.keys(clusterLevels).map((level) => [
      level,
      typeof value === 'string' ? value : value(level),
    ]),
  );
}

/** Processor types: number, name, flags of the host, model with its flags, architecture. */
function processorList(level: string): string {
  const types = (clusterLevels[level] ?? []).map(({ name, level: number, architecture }) => {
    const { flags = [], model = '', changes = [] } = findProcessorModel(level, name) ?? {};
    const needed = [...flags, `model_${model}`].join(',');
    return `${number}:${name}:${needed}:${[model, ...changes].join(',')}:${architecture}`;
  });
  return `${types.join('; ')};`;
}

/** Custom properties of VMs that engines define by default, each with a pattern of its values. */
function predefinedProperties(level: string): string {
  const word = level < '4.4' ? '[a-zA-Z0-9_]*' : '[a-zA-Z0-9_-]*';
  const setting = `((${word}):(true|false))`;
  return [
    'sap_agent=^(true|false)$',
    'sndbuf=^[0-9]+$',
    `vhost=^${setting}(,${setting})*$`,
    'viodiskcache=^(none|writeback|writethrough)$',
    'hugepages=^[0-9]+$',
    ...(level < '4.4'
      ? []
      : ['scsi_hostdev=^(scsi_generic|scsi_block|scsi_hd|virtio_blk_pci)$', 'nvram_template=^.*$']),
    ...(level < '4.6' ? [] : ['extra_cpu_flags=^([+-]?[a-zA-Z0-9_-]+)(,[+-]?[a-zA-Z0-9_-]+)*$']),
  ].join(';');
}

/** Maximum processors of a VM on x86. */
function largestX86(level: string): number {
  return level < '4.5' ? 384 : level < '4.6' ? 512 : 710;
}

/** Maximum memory of a VM in MiB. */
function largestMemory(level: string): string {
  return level < '4.6' ? '6291456' : level < '4.8' ? '16777216' : '67108864';
}

const general = (value: string): Values => ({ general: value });

export const systemOptions: Readonly<Record<string, Values>> = {
  AlwaysFilterResultsForWebUi: general('false'),
  ApplicationMode: general('255'),
  AutoConvergence: general('false'),
  ClientModeConsoleDefault: general('vnc'),
  ClientModeRdpDefault: general('Auto'),
  ClientModeSpiceDefault: general('Native'),
  ClientModeVncDefault: general('Native'),
  ClusterRequiredRngSourcesDefault: byLevel(''),
  CriticalSpaceActionBlocker: general('5'),
  DefaultGeneralTimeZone: general('Etc/GMT'),
  DefaultMTU: general('1500'),
  DefaultWindowsTimeZone: general('GMT Standard Time'),
  FenceAgentDefaultParams: general(''),
  HotPlugCpuSupported: byLevel('{"x86":"true","ppc":"true","s390x":"true"}'),
  MaxBlockDiskSizeInGibiBytes: general(String(largestBlockDiskGib)),
  MaxIoThreadsPerVm: general('127'),
  MaxNumOfCpuPerSocket: byLevel('254'),
  MaxNumOfThreadsPerCpu: byLevel('8'),
  MaxNumOfVmCpus: byLevel((level) => `{ppc=384, x86=${largestX86(level)}, s390x=384}`),
  MaxNumOfVmSockets: byLevel('710'),
  MaxVmNameLength: general('64'),
  MaxVmNameLengthSysprep: general('15'),
  MaxVmsInPool: general(String(largestPool)),
  MigrationCompression: general('false'),
  MigrationPolicies: byLevel(formatMigrationPolicies),
  PredefinedVMProperties: byLevel(predefinedProperties),
  ProductRPMVersion: general(serviceVersion),
  RemapCtrlAltDelDefault: general('true'),
  SearchResultsLimit: general('100'),
  ServerCPUList: byLevel(processorList),
  SpiceProxyDefault: general(''),
  SpiceUsbAutoShare: general('true'),
  StorageDomainNameSizeLimit: general('50'),
  StoragePoolNameSizeLimit: general('40'),
  SupportedClusterLevels: general(Object.keys(clusterLevels).join(',')),
  TransferImageClientInactivityTimeoutInSeconds: general('60'),
  UseFqdnForRdpIfAvailable: general('true'),
  UserDefinedVMProperties: byLevel(''),
  UserSessionTimeOutInterval: general('30'),
  ValidNumOfMonitors: general('1,2,4'),
  VM32BitMaxMemorySizeInMB: byLevel('20480'),
  VM64BitMaxMemorySizeInMB: byLevel(largestMemory),
  VdsFenceType: byLevel(
    'amt_ws,apc,apc_snmp,bladecenter,cisco_ucs,drac5,drac7,eps,hpblade,ilo,ilo2,ilo3,ilo4,ilo_ssh,ipmilan,redfish,rsa,rsb,wti',
  ),
  VmPriorityMaxValue: general('100'),
  VncKeyboardLayout: general('en-us'),
  WarningLowSpaceIndicator: general('10'),
  WebSocketProxy: general('Off'),
};
