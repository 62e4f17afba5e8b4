/**
 * What completion has to know of the commands, as plain data: the build writes it down once, so that
 * a press of the key reads one small file instead of loading all that commands are made of.
 */
import { readFileSync } from 'node:fs';
import { builtFile } from '../../built-file.ts';

/** What the value of a flag, or an argument, may be; in this order of precedence. */
export interface ValueChoice {
  /** One of these words. */
  readonly values?: readonly string[];
  /** The name of an object of this noun. */
  readonly noun?: string;
  /** The nouns above its objects, from the outermost in, for each place; absent: they stand alone. */
  readonly below?: readonly (readonly string[])[];
  readonly of?: ValueKind;
  /** Several, separated by commas; of an argument: all further words. */
  readonly many?: boolean;
}

/**
 * `kinds`: an object with its kind, `vms/web01`; `contexts`: a remembered server; `settings`: a default
 * of the configuration, `setting`: its value; `files`: left to the shell. The rest is told by the model.
 */
export type ValueKind =
  | 'kinds'
  | 'contexts'
  | 'nouns'
  | 'topics'
  | 'settings'
  | 'setting'
  | 'files'
  | ModelKind;

/** Attribute paths as each flag takes them, conditions, types, searches. */
export type ModelKind =
  | 'columns'
  | 'order'
  | 'links'
  | 'assignment'
  | 'condition'
  | 'types'
  | 'search';

export interface FlagChoice {
  /** All spellings, with their dashes. */
  readonly names: readonly string[];
  readonly doc: string;
  /** Absent for switches. */
  readonly value?: ValueChoice;
}

export interface CommandTable {
  /** The verb and its other names; none where the noun is the command. */
  readonly names: readonly string[];
  readonly doc: string;
  readonly flags: readonly FlagChoice[];
  readonly arguments: readonly ValueChoice[];
}

/** The file of the flags that every command understands. */
export const globalFile = 'flags';
/** The file of the commands of a noun. */
export const nounFile = (noun: string) => `noun-${noun}`;

/** Reads the flags that every command understands. Throws where the build did not write them. */
export function globalFlags(): readonly FlagChoice[] {
  return read<readonly FlagChoice[]>(globalFile);
}

/** Reads the commands of a noun. Throws where the build did not write them. */
export function commandsOf(noun: string): readonly CommandTable[] {
  return read<readonly CommandTable[]>(nounFile(noun));
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(builtFile(`completion/${name}.json`), 'utf8')) as T;
}
