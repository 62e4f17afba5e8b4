// Where the programs of the daemon's threads are.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folders of the built programs, seen from the bundle, from a chunk of it, from the source. */
const PLACES = ['./', '../', '../../dist/'];

/** The built program of this name. Throws when it was not built. */
export function programNamed(name: string): URL {
  for (const place of PLACES) {
    const url = new URL(place + name, import.meta.url);
    if (existsSync(fileURLToPath(url))) return url;
  }
  throw new Error(`a program of the image daemon, ${name}, was not built`);
}
