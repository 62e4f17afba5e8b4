/** The version of this program. */
import * as fs from 'node:fs';

/** Read from the manifest, which is two levels up from the bundle and three from the source. */
export function version(): string {
  for (const path of ['../package.json', '../../package.json', '../../../package.json']) {
    try {
      const manifest: unknown = JSON.parse(fs.readFileSync(new URL(path, import.meta.url), 'utf8'));
      if (isManifest(manifest)) return manifest.version;
    } catch {
      // Not there: one level further up.
    }
  }
  return 'unknown';
}

function isManifest(value: unknown): value is { readonly name: 'vmctl'; readonly version: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    value.name === 'vmctl' &&
    'version' in value &&
    typeof value.version === 'string'
  );
}
