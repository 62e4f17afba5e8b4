/** Files that the build creates next to the bundle: programs of threads, tables. */
import { existsSync } from 'node:fs';

/** Folders of these files, relative to the bundle, to a chunk, and to the source. */
const places = ['./', '../', '../dist/'];

/** URL of a file in `dist/`. Throws if it was not built. */
export function builtFile(name: string): URL {
  for (const place of places) {
    const url = new URL(place + name, import.meta.url);
    if (existsSync(url)) return url;
  }
  throw new Error(`dist/${name} is missing; run npm run build`);
}
