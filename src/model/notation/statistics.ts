/** Statistics: measured values of objects (specification 4.5). */

/** Units of statistics. */
export const statisticUnits = [
  'bits_per_second',
  'bytes',
  'bytes_per_second',
  'count_per_second',
  'none',
  'percent',
  'seconds',
] as const;

type Unit = (typeof statisticUnits)[number];

/** Name, kind, unit, value type and description. */
export type StatisticRow = readonly [
  name: string,
  kind: 'gauge' | 'counter',
  unit: Unit,
  type: 'integer' | 'decimal' | 'string',
  description: string,
];

/** Traffic of NICs of VMs and hosts. */
export const traffic: readonly StatisticRow[] = [
  ['data.current.rx', 'gauge', 'bytes_per_second', 'decimal', 'Receive data rate'],
  ['data.current.tx', 'gauge', 'bytes_per_second', 'decimal', 'Transmit data rate'],
  ['data.current.rx.bps', 'gauge', 'bits_per_second', 'decimal', 'Receive data rate'],
  ['data.current.tx.bps', 'gauge', 'bits_per_second', 'decimal', 'Transmit data rate'],
  ['errors.total.rx', 'counter', 'none', 'integer', 'Total receive errors'],
  ['errors.total.tx', 'counter', 'none', 'integer', 'Total transmit errors'],
  ['data.total.rx', 'counter', 'bytes', 'integer', 'Total received data'],
  ['data.total.tx', 'counter', 'bytes', 'integer', 'Total transmitted data'],
];
