interface Release {
  readonly version: string;
  readonly license: string;
  readonly description: string;
  readonly url: string;
  readonly sha256: string;
}

export function formatHomebrewFormula(release: Release): string;
export function formatScoopManifest(release: Release): string;
/** Contents of the manifests by file name. */
export function formatWingetManifests(release: Release): Record<string, string>;
