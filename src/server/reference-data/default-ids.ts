/** Ids of the objects that every new site has: clients may know them by heart. */

export const zeroId = '00000000-0000-0000-0000-000000000000';
export const defaultIds = {
  dataCenter: '58cfb470-02f3-03d7-0386-0000000003bc',
  cluster: '58cfb470-03b9-01d0-03b9-0000000001e7',
  network: '00000000-0000-0000-0000-000000000009',
  vnicProfile: '0000000a-000a-000a-000a-000000000398',
  cpuProfile: '58ca604e-01a7-003f-01de-000000000250',
  macPool: '58ca604b-017d-0374-0220-00000000014e',
  /** Instance types, and the permission of everyone on each. */
  instanceTypes: {
    tiny: {
      id: '00000003-0003-0003-0003-0000000000be',
      permission: '00000004-0004-0004-0004-000000000392',
    },
    small: {
      id: '00000005-0005-0005-0005-0000000002e6',
      permission: '00000006-0006-0006-0006-000000000044',
    },
    medium: {
      id: '00000007-0007-0007-0007-00000000010a',
      permission: '00000008-0008-0008-0008-0000000001b7',
    },
    large: {
      id: '00000009-0009-0009-0009-0000000000f1',
      permission: '0000000a-000a-000a-000a-000000000309',
    },
    extraLarge: {
      id: '0000000b-000b-000b-000b-00000000021f',
      permission: '0000000c-000c-000c-000c-00000000039b',
    },
  },
  vnicProfilePermission: '0000000b-000b-000b-000b-0000000001d5',
  blankPermission: '00000004-0004-0004-0004-000000000355',
  admin: 'fdfc627c-d875-11e0-90f0-83df133b58cc',
} as const;
