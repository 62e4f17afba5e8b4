#!/usr/bin/env node
// The door: answers --version by itself; everything else comes from dist/.
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Not imported: an import statement would load the streams of the file system as well.
  const { readFileSync, writeSync } = process.getBuiltinModule('node:fs');
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  writeSync(1, `${JSON.parse(manifest).version}\n`);
} else {
  // Since Node 22: keeps the compiled code between runs.
  process.getBuiltinModule('node:module').enableCompileCache?.();
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(args);
}
