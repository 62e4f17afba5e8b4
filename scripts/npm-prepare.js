// npm hook after an installation of this tree (`npm ci`), before packing it, and for `npm install
// -g .`, which installs no packages in the tree: builds the command.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.js';

// An installation without development packages uses an existing build.
const isForUse = /\bdev\b/.test(process.env['npm_config_omit'] ?? '');
const lacksTools = !existsSync(join(root, 'node_modules/rolldown'));
const isInner = process.env['VMCTL_IS_PREPARING'] === '1';
if (!isInner && !(isForUse && lacksTools) && !isBuilt()) await prepare();

/** Whether the build is up to date. It may be in use. */
function isBuilt() {
  const built = join(root, 'dist/main.cjs');
  if (!existsSync(built)) return false;
  const { mtimeMs } = statSync(built);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.every((name) => statSync(join(root, 'src', name)).mtimeMs <= mtimeMs);
}
