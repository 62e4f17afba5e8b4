// Entry of the executable: runs the program beside it, where a package of the system has installed it, or
// unpacks it into the user's cache, once for each build.
'use strict';
const fs = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { getAsset, getRawAsset } = require('node:sea');

const { identity, files } = JSON.parse(getAsset('manifest.json', 'utf8'));
const program = join(installed() ?? unpacked() ?? temporary(), 'bin/vmctl.js');
process.argv[1] = program;
createRequire(program)(program);

/** The folder that a package of the system has put there for this very build. */
function installed() {
  const folder = join(dirname(process.execPath), '../lib/vmctl');
  try {
    return fs.readFileSync(join(folder, 'identity'), 'utf8') === identity ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The folder in the user's cache, made where it is not there; nothing where that is impossible. */
function unpacked() {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const cache = XDG_CACHE_HOME || (HOME && join(HOME, '.cache'));
  if (!cache) return undefined;
  const programs = join(cache, 'vmctl/program');
  const folder = join(programs, identity);
  if (isOurs(folder)) return folder;
  try {
    fs.mkdirSync(programs, { recursive: true, mode: 0o700 });
    const draft = fs.mkdtempSync(join(programs, 'draft-'));
    unpackInto(draft);
    try {
      fs.renameSync(draft, folder);
    } catch {
      // Another process was quicker, or what stands there is not to be trusted.
      fs.rmSync(draft, { recursive: true, force: true });
    }
    forgetOlder(programs);
    return isOurs(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** A folder for this run alone. */
function temporary() {
  const folder = fs.mkdtempSync(join(tmpdir(), 'vmctl-program-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  unpackInto(folder);
  return folder;
}

function unpackInto(folder) {
  for (const { name, mode } of files) {
    const path = join(folder, name);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path, new Uint8Array(getRawAsset(name)), { mode });
  }
}

/** Whether a folder is there, and nobody else could have written what is in it. */
function isOurs(folder) {
  try {
    const { uid, mode } = fs.statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** Leaves the programs of the four latest builds: those of others may still run. */
function forgetOlder(programs) {
  const found = fs.readdirSync(programs).map((name) => {
    const path = join(programs, name);
    return { path, made: fs.statSync(path).mtimeMs };
  });
  for (const { path } of found.sort((a, b) => b.made - a.made).slice(4)) {
    fs.rmSync(path, { recursive: true, force: true });
  }
}
