// Loader of the bundle with a code cache: compilation is a tenth of the run time of a short
// command. The compile cache of Node.js 22.1 saves less, because it goes through the module loader
// file by file.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');

// A short command does not amortize tiered compilation; long-running code is optimized anyway. The
// WebAssembly HTTP parser stays in its first tier. Cached code is only valid for the same V8 flags:
// the bundle uses the reduced flags, and modules of Node.js, which contain a code cache, the
// default flags.
const [major] = process.versions.node.split('.').map(Number);
const steps = ['sparkplug', 'wasm-tier-up', 'wasm-dynamic-tiering'];
if (major >= 24) steps.push('maglev');
const usual = steps.map((step) => `--${step}`).join(' ');
const lean = steps.map((step) => `--no-${step}`).join(' ');

const { Script } = require('node:vm');

// Only called functions have compiled code. The first run of each of this many commands adds its
// functions to the cache.
const mostCommands = 16;

module.exports = { load, findCache, isOurs, forgetOlder };

/**
 * Loads the entry of a bundle. All files of the bundle, next to the entry or in `chunks`, have
 * unique names.
 */
function load(folder, entry) {
  setFlagsFromString(lean);
  const cache = findCache(process.env, process.platform);
  if (!cache || process.env.NODE_DISABLE_COMPILE_CACHE) return require(`${folder}/${entry}`);
  return new Kept(folder, entry, `${cache}/code`).load(entry);
}

/** Folder of vmctl in the user's cache; undefined without a home. */
function findCache(env, platform) {
  const local = platform === 'win32' ? env.LOCALAPPDATA : undefined;
  const cache = env.XDG_CACHE_HOME || local || (env.HOME && `${env.HOME}/.cache`);
  return cache ? `${cache}/vmctl` : undefined;
}

class Kept {
  #entry;
  #root;
  #folder;
  #isTrusted;
  #others = new Map();
  #loaded = new Map();
  #scripts = [];
  /** Whether a file has no valid cached code. */
  #lacks = false;
  /** Nouns and verbs of the commands whose code is cached. */
  #commands;
  #command = process.argv
    .slice(2, 4)
    .filter((word) => /^[a-z_-]+$/.test(word))
    .join(' ');

  constructor(root, entry, folder) {
    this.#root = root;
    this.#entry = entry;
    // Each build has a different time and different file names.
    const { mtimeMs } = fs.statSync(`${root}/${entry}`);
    this.#folder = `${folder}/${process.version}-${process.arch}-${mtimeMs.toString(36)}`;
    this.#isTrusted = isOurs(this.#folder);
    this.#commands = this.#isTrusted ? (this.#read('commands')?.toString().split('\n') ?? []) : [];
    process.once('exit', () => this.#keep());
  }

  load(name) {
    let module = this.#loaded.get(name);
    if (!module) {
      module = { exports: {} };
      this.#loaded.set(name, module);
      const folder = name === this.#entry ? this.#root : `${this.#root}/chunks`;
      const require = (id) =>
        id[0] === '.' ? this.load(id.slice(id.lastIndexOf('/') + 1)) : this.#other(id);
      const file = `${folder}/${name}`;
      this.#compile(name, file)(module.exports, require, module, file, folder);
    }
    return module.exports;
  }

  /** A module of Node.js, or of a package outside of the bundle. */
  #other(id) {
    if (!this.#others.has(id)) {
      setFlagsFromString(usual);
      try {
        this.#others.set(id, require(id));
      } finally {
        setFlagsFromString(lean);
      }
    }
    return this.#others.get(id);
  }

  #compile(name, filename) {
    const cachedData = this.#isTrusted ? this.#read(name) : undefined;
    const code = Module.wrap(fs.readFileSync(filename, 'utf8'));
    const script = new Script(code, { filename, cachedData });
    if (cachedData === undefined || script.cachedDataRejected) this.#lacks = true;
    this.#scripts.push({ name, script });
    return script.runInThisContext();
  }

  /** Contents of a cache file; undefined if it is missing or damaged. */
  #read(name) {
    try {
      const bytes = fs.readFileSync(`${this.#folder}/${name}`);
      const length = bytes.readUInt32LE(0);
      return length === bytes.length - 4 ? bytes.subarray(4) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Caches the compiled code of this run. Failures are ignored. */
  #keep() {
    // A dry run writes nothing.
    if (process.argv.includes('--dry-run')) return;
    const isNew = this.#commands.length < mostCommands && !this.#commands.includes(this.#command);
    if (!this.#lacks && !isNew) return;
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      for (const { name, script } of this.#scripts) this.#write(name, script.createCachedData());
      if (isNew)
        this.#write('commands', Buffer.from([...this.#commands, this.#command].join('\n')));
      forgetOlder(dirname(this.#folder));
    } catch {
      // The next run compiles again.
    }
  }

  #write(name, bytes) {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    const path = join(this.#folder, name);
    const draft = `${path}.${process.pid}`;
    fs.writeFileSync(draft, Buffer.concat([length, bytes]), { mode: 0o600 });
    fs.renameSync(draft, path);
  }
}

/** Deletes the caches of all but the four latest builds. */
function forgetOlder(folder) {
  const builds = fs.readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, made: fs.statSync(path).mtimeMs };
  });
  const older = builds.sort((a, b) => b.made - a.made).slice(4);
  for (const { path } of older) fs.rmSync(path, { recursive: true, force: true });
}

/** Whether a folder exists and only this user can write to it. Windows protects the profile of a user. */
function isOurs(folder) {
  try {
    const { uid, mode } = fs.statSync(folder);
    if (process.platform === 'win32') return true;
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
