/** Kinds of what commands print. */

/**
 * What a command writes to stdout, by which `output/output-flags.ts` knows the flags that have an effect:
 * `objects` in the format that is asked for; `object`, one of them, whose tables are details; `report`, sentences
 * for people where others get tables, and objects in the formats for programs; `definition`, a document in YAML or
 * JSON; `text`, which has one form only; `nothing`.
 */
export type Printed = 'objects' | 'object' | 'report' | 'definition' | 'text' | 'nothing';
