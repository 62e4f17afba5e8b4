/** Ids of the objects that every new site has: clients may know them by heart. */

export const zeroId = '00000000-0000-0000-0000-000000000000';
export const defaultIds = {
  dataCenter: '58cfb470-02f3-03d7-0386-0000000003bc',
  cluster: '58cfb470-03b9-01d0-03b9-0000000001e7',
  network: '00000000-0000-0000-0000-000000000009',
  vnicProfile: '0000000a-000a-000a-000a-000000000398',
  cpuProfile: '58ca604e-01a7-003f-01de-000000000250',
  macPool: '58ca604b-017d-0374-0220-00000000014e',
  blankPermission: '00000004-0004-0004-0004-000000000355',
  admin: 'fdfc627c-d875-11e0-90f0-83df133b58cc',
} as const;
