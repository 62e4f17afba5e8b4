#!/usr/bin/env node
// The door: answers --version by itself; everything else comes from dist/.
'use strict';
const args = process.argv.slice(2);

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { readFileSync, writeSync } = require('node:fs');
  const manifest = JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8'));
  writeSync(1, `${manifest.version}\n`);
} else {
  const { dirname } = require('node:path');
  const { main } = require('./compiled.js')(`${dirname(__dirname)}/dist`, 'main.cjs');
  main(args).then((code) => {
    process.exitCode = code;
  });
}
