/** The built command in this process: what `bin/vmctl.js` loads, without starting Node each time. */
import { createRequire } from 'node:module';
import type { main } from '../../src/cli/main.ts';
import { runner } from '../cli/run.ts';

const built = createRequire(import.meta.url)('../../dist/main.cjs') as { main: typeof main };

export const vmctl = runner(built.main);
