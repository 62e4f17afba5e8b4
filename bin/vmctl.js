#!/usr/bin/env node
// Entry point. Prints the version directly, and loads dist/ for everything else.
'use strict';
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { readFileSync, writeSync } = require('node:fs');
  const manifest = JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
  try {
    writeSync(1, `${manifest.version}\n`);
  } catch (error) {
    // A closed pipe is not a failure.
    if (error.code !== 'EPIPE') fail(`cannot write standard output: ${error.message}`);
  }
} else {
  // An uncaught error ends the command with one line.
  process.once('uncaughtException', (error) => {
    fail(String(error?.message ?? error).split('\n', 1)[0], 'run again with --debug to see where');
    if (args.includes('--debug') || process.env.VMCTL_DEBUG)
      process.stderr.write(`${error?.stack}\n`);
    process.exit(1);
  });
  const { dirname } = require('node:path');
  const root = dirname(__dirname);
  let main;
  try {
    ({ main } = require('./compiled.js').load(`${root}/dist`, 'main.cjs'));
  } catch (error) {
    if (require('node:fs').existsSync(`${root}/dist/main.cjs`)) throw error;
    fail('not built: dist/main.cjs is missing', `run npm ci and npm run build in ${root}`);
  }
  main?.(args).then((code) => {
    process.exitCode = code;
  });
}

function fail(message, hint) {
  process.exitCode = 1;
  process.stderr.write(`vmctl: ${message}\n${hint === undefined ? '' : `hint: ${hint}\n`}`);
}
