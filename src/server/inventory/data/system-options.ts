/**
 * Settings of the service that clients ask for by name. A value holds for a compatibility version,
 * or for all of them (`general`).
 */
export const systemOptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  AutoConvergence: { general: 'false' },
  ClientModeVncDefault: { general: 'Native' },
  DefaultGeneralTimeZone: { general: 'Etc/GMT' },
  DefaultMTU: { general: '1500' },
  DefaultWindowsTimeZone: { general: 'GMT Standard Time' },
  FenceAgentDefaultParams: { general: '' },
  MaxNumOfCpuPerSocket: { '4.7': '254', '4.8': '254' },
  MaxNumOfThreadsPerCpu: { '4.7': '8', '4.8': '8' },
  MaxNumOfVmCpus: {
    '4.7': '{x86=710, ppc=384, s390x=384}',
    '4.8': '{x86=710, ppc=384, s390x=384}',
  },
  MaxNumOfVmSockets: { '4.7': '16', '4.8': '16' },
  MaxVmNameLength: { general: '255' },
  MigrationCompression: { general: 'false' },
  UserSessionTimeOutInterval: { general: '30' },
  VM64BitMaxMemorySizeInMB: {
    '4.7': '{x86_64=6291456, ppc64=6291456}',
    '4.8': '{x86_64=6291456, ppc64=6291456}',
  },
  VmPriorityMaxValue: { general: '100' },
  WebSocketProxy: { general: 'Off' },
};
