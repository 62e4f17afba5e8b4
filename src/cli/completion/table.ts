/**
 * Tables of commands for completion, written by the build.
 * A key press reads one small file instead of loading all commands.
 */
import { readFileSync } from 'node:fs';
import { builtFile } from '../../built-file.ts';

/** Choices of the value of a flag or argument, in order of precedence. */
export interface ValueChoice {
  /** Fixed words. */
  readonly values?: readonly string[];
  /** Name of an object of this noun. */
  readonly noun?: string;
  /**
   * Nouns of the parents of each collection, outermost first; absent for collections at the root.
   */
  readonly below?: readonly (readonly string[])[];
  readonly of?: ValueKind;
  /** Several values, separated by commas; for an argument, all further words. */
  readonly many?: boolean;
}

/**
 * Kind of a value. `kinds`: an object with its kind (`vms/web01`); `severalContexts`: names of
 * contexts, or `all`; `settings`: a default of the configuration; `setting`: its value; `files`:
 * completed by the shell. The model describes the others.
 */
export type ValueKind =
  | 'kinds'
  | 'contexts'
  | 'severalContexts'
  | 'nouns'
  | 'topics'
  | 'settings'
  | 'setting'
  | 'files'
  | ModelKind;

/**
 * Values from the model: attribute paths in the notation of each flag, conditions, types, searches.
 */
export type ModelKind =
  | 'columns'
  | 'order'
  | 'links'
  | 'assignment'
  | 'condition'
  | 'types'
  | 'search';

export interface FlagChoice {
  /** All names, including dashes. */
  readonly names: readonly string[];
  readonly doc: string;
  /** Absent for switches. */
  readonly value?: ValueChoice;
}

export interface CommandTable {
  /** Names of the verb; empty if the noun is the command. */
  readonly names: readonly string[];
  readonly doc: string;
  readonly flags: readonly FlagChoice[];
  readonly arguments: readonly ValueChoice[];
}

/** File of the global flags. */
export const globalFile = 'flags';
/** Returns the file of the commands of a noun. */
export const formatNounFile = (noun: string) => `noun-${noun}`;

/** Reads the global flags. Throws if the build did not write them. */
export function readGlobalFlags(): readonly FlagChoice[] {
  return readTable<readonly FlagChoice[]>(globalFile);
}

/** Reads the commands of a noun. Throws if the build did not write them. */
export function readCommands(noun: string): readonly CommandTable[] {
  return readTable<readonly CommandTable[]>(formatNounFile(noun));
}

function readTable<T>(name: string): T {
  // Right because the build writes these files with the same types.
  return JSON.parse(readFileSync(builtFile(`completion/${name}.json`), 'utf8')) as T;
}
