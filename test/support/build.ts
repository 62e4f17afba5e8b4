/** Builds dist/ once, before the tests that run the built command, unless a script has just done so. */
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
