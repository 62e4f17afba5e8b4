/** Runs the command as it is in the source, in this process, with its own streams and its own home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../../../src/cli/main.ts';
import { runner } from '../../support/in-process.ts';

export type { Result, RunOptions } from '../../support/in-process.ts';

/** A home directory of its own; `remove` it when the test is over. */
export function temporaryHome(): { readonly path: string; readonly remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'vmctl-home-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Runs one command line; the environment is exactly the given one. */
export const vmctl = runner(main);
