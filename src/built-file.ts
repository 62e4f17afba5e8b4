/** Where the files are that the build makes beside the bundle: programs of threads, tables. */
import { existsSync } from 'node:fs';

/** Folders of such files, seen from the bundle, from a chunk of it, from the source. */
const places = ['./', '../', '../dist/'];

/** The file of this name in `dist/`. Throws when it was not built. */
export function builtFile(name: string): URL {
  for (const place of places) {
    const url = new URL(place + name, import.meta.url);
    if (existsSync(url)) return url;
  }
  throw new Error(`dist/${name} is missing; run npm run build`);
}
