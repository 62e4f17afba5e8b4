/** Kinds of output of commands. */

/**
 * Output of a command on standard output. It decides which output flags have an effect (`output/output-flags.ts`):
 *
 * - `objects`: a list of objects in the requested format
 * - `object`: one object; tables show its details
 * - `row`: one object; tables show it as in a list
 * - `stream`: objects one after the other, as they occur; a line of text each unless `--columns` is given
 * - `outcomes`: objects in the formats for programs, nothing in tables
 * - `outcome`: the same with one object
 * - `requests`: those that `--dry-run` and `--curl` hold back, as text or as objects
 * - `report`: sentences for people instead of tables, objects in the formats for programs
 * - `definition`: a document in YAML or JSON
 * - `text`: output with only one form
 * - `nothing`
 */
export type Printed =
  | 'objects'
  | 'object'
  | 'row'
  | 'stream'
  | 'outcomes'
  | 'outcome'
  | 'requests'
  | 'report'
  | 'definition'
  | 'text'
  | 'nothing';
