#!/usr/bin/env node
// The door: answers --version by itself; everything else comes from dist/.
import { readFileSync, writeSync } from 'node:fs';
import module from 'node:module';

const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  writeSync(1, `${JSON.parse(manifest).version}\n`);
} else {
  // Since Node 22.8: keeps the compiled code between runs.
  module.enableCompileCache?.();
  const { main } = await import('../dist/main.js');
  process.exitCode = await main(args);
}
