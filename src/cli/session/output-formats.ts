/** The formats that results are printed in. */
export const formats = [
  'table',
  'wide',
  'json',
  'jsonl',
  'yaml',
  'csv',
  'tsv',
  'name',
  'id',
  'xml',
] as const;

export type Format = (typeof formats)[number];
