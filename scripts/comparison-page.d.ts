/** A mark of a tool, with its evidence. */
export interface Cell {
  readonly title: string;
  readonly tool: string;
  readonly mark: string;
  readonly kind: string;
  readonly evidence: string;
  readonly note: string;
}

export interface Group {
  readonly title: string;
  readonly capabilities: readonly { readonly title: string; readonly cells: readonly Cell[] }[];
}

export interface CheckedVersion {
  readonly tool: string;
  readonly version: string;
  readonly day: string;
  readonly source: string;
}

/** Names of the tools, in the order of the columns. */
export const tools: readonly string[];

/** The groups of test/data/comparison.tsv. */
export function parseComparison(text: string): Group[];

/** The lines of test/data/comparison-tools.tsv. */
export function parseVersions(text: string): CheckedVersion[];

/** The text of docs/comparison.md. */
export function comparisonPage(
  groups: readonly Group[],
  versions: readonly CheckedVersion[],
): string;

/** The problem of the evidence of a cell. `readHelp` returns undefined for an unknown command. */
export function findProblem(
  cell: Cell,
  readHelp: (words: readonly string[]) => Promise<string | undefined>,
): Promise<string | undefined>;
