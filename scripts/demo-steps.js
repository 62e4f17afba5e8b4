// Shared steps of demonstrations: a temporary home, printed commands, verified steps.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from './prepare.js';

export const vmctl = join(root, 'bin/vmctl.js');

export function makeDemo() {
  const started = Date.now();
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-demo-'));
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, `${randomBytes(12).toString('base64url')}\n`, { mode: 0o600 });
  const environment = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, 'config'),
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_CACHE_HOME: join(folder, 'cache'),
  };
  for (const name of Object.keys(environment)) {
    if (name.startsWith('VMCTL_')) delete environment[name];
  }

  /** Argument as a user types it: short paths, and quotes for the shell. */
  function shown(word) {
    const short = word.replaceAll(folder, '$DEMO');
    return /^[\w@%+=:,./$-]+$/.test(short) ? short : `'${short}'`;
  }

  /** Runs a command and prints it with its output. Returns its standard output. */
  async function run(...words) {
    console.log(`\n$ vmctl ${words.map(shown).join(' ')}`);
    const child = spawn(process.execPath, [vmctl, ...words], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    child.stdout.on('data', (piece) => {
      output += piece;
      process.stdout.write(piece);
    });
    child.stderr.on('data', (piece) => process.stdout.write(piece));
    const code = await new Promise((done) => child.once('close', done));
    if (code !== 0) throw new Error(`vmctl ${words[0]} ${words[1] ?? ''} ended with ${code}.`);
    return output;
  }

  /**
   * Starts a server on free ports. Returns its addresses, `stop`, which resolves with its exit code,
   * and `kill`.
   */
  async function serve(...words) {
    const readyFile = join(folder, 'ready.json');
    rmSync(readyFile, { force: true });
    const more = ['--password-file', passwordFile, '--ready-file', readyFile];
    const ports = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
    const all = ['serve', ...words, ...more, ...ports];
    console.log(`\n$ vmctl ${all.map(shown).join(' ')} &`);
    const child = spawn(process.execPath, [vmctl, ...all], {
      env: environment,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const exited = new Promise((done) => child.once('exit', done));
    while (!existsSync(readyFile)) {
      if (child.exitCode !== null) throw new Error('The server did not start.');
      await new Promise((done) => setTimeout(done, 20));
    }
    const end = (signal) => {
      console.log(`\n$ kill -${signal} ${child.pid}`);
      child.kill(`SIG${signal}`);
      return exited;
    };
    return {
      ready: JSON.parse(readFileSync(readyFile, 'utf8')),
      stop: () => end('TERM'),
      kill: () => end('KILL'),
    };
  }

  /** Signs in as the administrator, and trusts the authority of the server. */
  async function signIn({ ready }) {
    await run(
      ...['login', ready.base_url, '--username', ready.username],
      ...['--password-file', passwordFile, '--ca-fingerprint', ready.ca_fingerprint],
    );
  }

  /** Given image, or a generated one: a boot sector, data, and a hole. */
  function image(given = process.argv[2]) {
    if (given) return resolve(given);
    const path = join(folder, 'boot.img');
    const file = openSync(path, 'w');
    const sector = Buffer.alloc(512);
    sector.write('Demo: not much of a system, but it has a boot signature.');
    sector.writeUInt16LE(0xaa55, 510);
    writeSync(file, sector, 0, sector.length, 0);
    writeSync(file, randomBytes(8 * 2 ** 20), 0, undefined, 2 ** 20);
    ftruncateSync(file, 64 * 2 ** 20);
    closeSync(file);
    return path;
  }

  return {
    folder,
    environment,
    passwordFile,
    run,
    serve,
    signIn,
    shown,
    image,
    title(text) {
      console.log(`\n--- ${text}`);
    },
    check(condition, what) {
      if (!condition) throw new Error(`Not as it should be: ${what}.`);
      console.log(`    verified: ${what}`);
    },
    /**
     * SHA-256 of the first bytes of a file, because disks consist of complete sectors and images
     * may not.
     */
    async sha256(path, length) {
      const hash = createHash('sha256');
      for await (const piece of createReadStream(path, { end: length - 1 })) hash.update(piece);
      return hash.digest('hex');
    },
    succeeded() {
      console.log(`\nAll steps were verified, in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
    },
    failed(error) {
      console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    },
    remove() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
