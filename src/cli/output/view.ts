/** Objects to print with their metadata, independent of the format. */
import type { Meaning } from './cells.ts';

export type Item = Readonly<Record<string, unknown>>;

/** Objects in batches, in order of arrival. */
export type Batches = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** Metadata that exists before the objects arrive. */
export interface ViewMetadata {
  /** Noun of the objects, for `-o name`. */
  readonly noun: string;
  /** Type in the model; absent for objects outside the API. */
  readonly type?: string;
  readonly single?: boolean;
  /** Columns of objects without default columns of a type. */
  readonly columns?: readonly string[];
  /** Whether the objects come from several contexts: `context` is an additional member. */
  readonly hasContexts?: boolean;
  /** Meanings of values by path, for objects without a type. */
  readonly meanings?: Readonly<Record<string, Meaning>>;
  /** Whether a pager may show the output: the command prints it once and ends. */
  readonly isPaged?: boolean;
  /** Search query, for the message about an empty list. */
  readonly search?: string;
  /** Maximum number of objects after sorting. */
  readonly limit?: number;
}

/** Objects to print, with metadata. */
export interface View extends ViewMetadata {
  readonly items: readonly Item[];
}
