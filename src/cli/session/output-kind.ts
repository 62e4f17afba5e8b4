/** Kinds of output of commands. */

/**
 * Kind of output of a command. It decides which output flags have an effect
 * (`output/output-flags.ts`):
 * - `objects`: a list of objects in the requested format
 * - `object`: one object; tables show its details
 * - `row`: one object; tables show one row
 * - `stream`: objects one by one, as they occur; a line of text each unless `--columns` is given
 * - `outcomes`: objects in machine formats, nothing in tables
 * - `outcome`: one object in machine formats, nothing in tables
 * - `requests`: unsent requests of `--dry-run` and `--curl`, as text or as objects
 * - `report`: sentences for people instead of tables, objects in machine formats
 * - `definition`: a document in YAML or JSON
 * - `text`: output with only one form
 * - `nothing`
 */
export type OutputKind =
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
