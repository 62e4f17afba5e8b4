// What npm runs after it has installed this tree (`npm ci`), before it packs it, and for
// `npm install -g .`, which installs nothing in the tree itself: the command is built.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prepare, root } from './prepare.js';

// Whoever leaves the packages for development out has the build from elsewhere.
const isForUse = /\bdev\b/.test(process.env['npm_config_omit'] ?? '');
const lacksTools = !existsSync(join(root, 'node_modules/rolldown'));
const isInner = process.env['VMCTL_IS_PREPARING'] === '1';
if (!isInner && !(isForUse && lacksTools) && !isBuilt()) await prepare();

/** Whether nothing has changed since the last build: it may be in use. */
function isBuilt() {
  const built = join(root, 'dist/main.cjs');
  if (!existsSync(built)) return false;
  const { mtimeMs } = statSync(built);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.every((name) => statSync(join(root, 'src', name)).mtimeMs <= mtimeMs);
}
