/** Objects to print and what is known of them, independent of the format. */
import type { Meaning } from './cells.ts';

export type Item = Readonly<Record<string, unknown>>;

/** Objects in the batches in which they come. */
export type Batches = AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>;

/** What is known of the objects before they are there. */
export interface Frame {
  /** Noun of the objects, for `-o name`. */
  readonly noun: string;
  /** Their type in the model; absent for what is not of the API. */
  readonly type?: string;
  /** One object instead of a list. */
  readonly single?: boolean;
  /** Columns where the type does not decide. */
  readonly columns?: readonly string[];
  /** What the values of columns mean where no type tells it, by path. */
  readonly meanings?: Readonly<Record<string, Meaning>>;
  /** A pager may show it: it is printed once, and to its end. */
  readonly isPaged?: boolean;
  /** What was searched for: told where nothing was found. */
  readonly search?: string;
  /** So many of them, once they are sorted. */
  readonly limit?: number;
}

/** What a command has to show. */
export interface View extends Frame {
  readonly items: readonly Item[];
}
