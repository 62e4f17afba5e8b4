/** Small file systems, to test full ones. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';

/** Reason why no file system can be mounted. `undefined` if it can. */
export function cannotMount(path: string): string | undefined {
  try {
    mkdirSync(path, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path], { stdio: 'ignore' });
    execFileSync('umount', [path]);
    return undefined;
  } catch {
    return ' (nothing can be mounted here)';
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
