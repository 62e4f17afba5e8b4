// Entry of the executable. Runs the program that a system package has installed, or unpacks it into
// the user's cache, once for each build.
'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');
const { findCache, forgetOlder, isOurs } = require('../../bin/compiled.js');
const places = require('./system-places.cjs');

const { identity, files } = JSON.parse(getAsset('manifest.json', 'utf8'));
const program = join(installed() ?? unpacked() ?? temporary(), 'bin/vmctl.js');
process.argv[1] = program;
createRequire(program)(program);

/**
 * Folder of a system package with this build. Only the fixed path is accepted, because other users can
 * write files next to an executable in /tmp.
 */
function installed() {
  if (process.execPath !== places.executable) return undefined;
  try {
    const found = fs.readFileSync(join(places.program, 'identity'), 'utf8');
    return found === identity ? places.program : undefined;
  } catch {
    return undefined;
  }
}

/** Folder in the user's cache, created if necessary. `undefined` if this is impossible. */
function unpacked() {
  const cache = findCache(process.env, process.platform);
  if (!cache) return undefined;
  const programs = join(cache, 'program');
  const folder = join(programs, identity);
  if (isOurs(folder)) return folder;
  try {
    fs.mkdirSync(programs, { recursive: true, mode: 0o700 });
    const draft = fs.mkdtempSync(join(programs, 'draft-'));
    unpackInto(draft);
    try {
      fs.renameSync(draft, folder);
    } catch {
      // Another process was faster, or the existing folder is not trusted.
      fs.rmSync(draft, { recursive: true, force: true });
    }
    forgetOlder(programs);
    return isOurs(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Temporary folder for this run. */
function temporary() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'vmctl-program-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  unpackInto(folder);
  return folder;
}

function unpackInto(folder) {
  for (const name of files) {
    const path = join(folder, name);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path, new Uint8Array(getRawAsset(name)), { mode: 0o600 });
  }
}
