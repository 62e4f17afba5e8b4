/** Builds dist/ once, before the tests that run the built command. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function setup(): void {
  execFileSync(
    process.execPath,
    [fileURLToPath(new URL('../../scripts/build.js', import.meta.url))],
    {
      stdio: 'inherit',
    },
  );
}
