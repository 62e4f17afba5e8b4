// Loads the bundle and keeps its compiled code for the next run: to compile it is a tenth of what a
// short command costs. Node can do that itself since version 22.1, but gains less by it: its cache
// goes through the loader of modules, file by file.
'use strict';
const fs = require('node:fs');
const Module = require('node:module');
const { dirname, join } = require('node:path');
const { setFlagsFromString } = require('node:v8');

// A short command does not earn back what V8 spends on making code faster in several steps; what
// runs long gets its optimized code all the same. The HTTP parser, which is WebAssembly, stays as it
// is compiled first. Compiled code is only good for the settings that it was compiled with: this
// holds for the bundle, and for what Node brings compiled code of its own for, with the usual ones.
const [major] = process.versions.node.split('.').map(Number);
const steps = ['sparkplug', 'wasm-tier-up', 'wasm-dynamic-tiering'];
if (major >= 24) steps.push('maglev');
const usual = steps.map((step) => `--${step}`).join(' ');
const lean = steps.map((step) => `--no-${step}`).join(' ');

const { Script } = require('node:vm');

// Only functions that were called have compiled code: the first run of each of so many commands adds
// what it called to what is kept.
const mostCommands = 16;

module.exports = { load, isOurs, forgetOlder };

/** Loads the entry of a bundle. No two files of it, beside the entry or in `chunks`, share a name. */
function load(folder, entry) {
  setFlagsFromString(lean);
  const { env } = process;
  const cache = env.XDG_CACHE_HOME || (env.HOME && `${env.HOME}/.cache`);
  if (!cache || env.NODE_DISABLE_COMPILE_CACHE) return require(`${folder}/${entry}`);
  return new Kept(folder, entry, `${cache}/vmctl/code`).load(entry);
}

class Kept {
  #entry;
  #root;
  #folder;
  #isTrusted;
  #others = new Map();
  #loaded = new Map();
  #scripts = [];
  /** Whether a file has no code that could be used. */
  #lacks = false;
  /** Nouns and verbs of the commands whose code is kept. */
  #commands;
  #command = process.argv
    .slice(2, 4)
    .filter((word) => /^[a-z_-]+$/.test(word))
    .join(' ');

  constructor(root, entry, folder) {
    this.#root = root;
    this.#entry = entry;
    // Another build has another time, and its files have names of their own.
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

  /** A module of Node, or of a package that is not in the bundle. */
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

  /** What an earlier run wrote, unless it is damaged. */
  #read(name) {
    try {
      const bytes = fs.readFileSync(`${this.#folder}/${name}`);
      const length = bytes.readUInt32LE(0);
      return length === bytes.length - 4 ? bytes.subarray(4) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps what this run compiled; that it cannot be kept is no failure. */
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

/** Leaves the folders of the four latest builds: a few versions of Node, an installation or two. */
function forgetOlder(folder) {
  const builds = fs.readdirSync(folder).map((name) => {
    const path = join(folder, name);
    return { path, made: fs.statSync(path).mtimeMs };
  });
  const older = builds.sort((a, b) => b.made - a.made).slice(4);
  for (const { path } of older) fs.rmSync(path, { recursive: true, force: true });
}

/** Whether a folder is there, and nobody else could have written what is in it. */
function isOurs(folder) {
  try {
    const { uid, mode } = fs.statSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}
