/** Runs commands from the sources in this process, with separate streams and a separate home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../src/cli/main.ts';
import { runner } from '../../support/in-process.ts';

export type { Result, RunOptions } from '../../support/in-process.ts';

/** Creates a home directory; call `remove` after the test. */
export function temporaryHome(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'vmctl-home-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs one command line; the environment is exactly the given one. */
export const vmctl = runner(main);
