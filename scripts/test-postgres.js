// Runs tests with servers that use PostgreSQL, in a temporary cluster: operations, protocol,
// commands and kills. `--sixth N` selects every sixth file of the operations, without commands.
// Other arguments replace this selection.

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

const [first, ...rest] = process.argv.slice(2);
const kills = 'test/faults/server-kills.test.ts';

function chosen() {
  if (first === undefined) {
    return ['test/conformance', 'test/operations', 'test/recorded', 'test/commands', kills];
  }
  if (first !== '--sixth') return [first, ...rest];
  const sixth = Number(rest[0]);
  if (!(sixth >= 0 && sixth < 6)) throw new Error('--sixth takes a number from 0 to 5');
  const operations = readdirSync(join(root, 'test/operations'))
    .filter((name) => name.endsWith('.test.ts'))
    .sort()
    .filter((_, index) => index % 6 === sixth);
  return ['test/conformance', kills, ...operations.map((name) => `test/operations/${name}`)];
}

const { status } = spawnSync(process.execPath, [join(root, 'scripts/test.js'), ...chosen()], {
  stdio: 'inherit',
  // Run the selected files completely.
  env: {
    ...process.env,
    VMCTL_TEST_STORE: 'postgres',
    VMCTL_TEST_PART: undefined,
    VMCTL_TEST_CHANGED: undefined,
  },
});
process.exitCode = status ?? 1;
