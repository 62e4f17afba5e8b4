/** Kinds of output of commands. */

/**
 * Output of a command on stdout. It decides which output flags have an effect (`output/output-flags.ts`):
 *
 * - `objects`: a list of objects in the requested format
 * - `object`: one object; tables show its details
 * - `report`: sentences for people instead of tables, objects in the formats for programs
 * - `definition`: a document in YAML or JSON
 * - `text`: output with only one form
 * - `nothing`
 */
export type Printed = 'objects' | 'object' | 'report' | 'definition' | 'text' | 'nothing';
