export interface Catalogue {
  readonly parts: readonly { readonly letter: string; readonly title: string }[];
  readonly rows: readonly {
    readonly id: string;
    readonly what: string;
    readonly how: string;
    readonly bar: string;
    readonly absent?: string;
    readonly open?: string;
  }[];
}

/** The last run of a row at full length. */
export interface CatalogueRun {
  readonly day: string;
  readonly node: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly files: readonly string[];
  readonly reached: readonly string[];
}

/** The text of docs/reliability.md. */
export function reliabilityPage(
  catalogue: Catalogue,
  runs: Readonly<Record<string, CatalogueRun>>,
): string;
