/** Builds dist/ once before tests of the built command, unless a script has just built it. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function setup(): void {
  if (process.env['VMCTL_BUILT']) return;
  execFileSync(
    process.execPath,
    [fileURLToPath(new URL('../../scripts/build.js', import.meta.url))],
    {
      stdio: 'inherit',
    },
  );
}
