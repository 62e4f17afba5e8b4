// The tour: starts `vmctl serve`, and runs the built vmctl against it as a user would. Prints each
// command and what it answered. Exits 0 only if every step was verified.
//
//   npm run demo
//   npm run demo -- path/to/image.iso|.img|.qcow2
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
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, resolve } from 'node:path';
import { prepare, root } from './prepare.js';

await prepare();

const started = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'vmctl-demo-'));
const vmctl = join(root, 'bin/vmctl.js');
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

/** Runs a command, shows it and its output, and returns what it wrote on standard output. */
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

/** A word as a user types it: short paths, quotes where the shell needs them. */
function shown(word) {
  const short = word.replaceAll(folder, '$DEMO');
  return /^[\w@%+=:,./$-]+$/.test(short) ? short : `'${short}'`;
}

function title(text) {
  console.log(`\n--- ${text}`);
}

function check(condition, what) {
  if (!condition) throw new Error(`Not as it should be: ${what}.`);
  console.log(`    verified: ${what}`);
}

async function startServer() {
  const readyFile = join(folder, 'ready.json');
  rmSync(readyFile, { force: true });
  // As a user would name it: relative to where the command runs.
  const site = relative(process.cwd(), join(folder, 'site'));
  const words = ['serve', '--data', site, '--inventory', 'small', '--speed', '0.2'];
  const more = ['--password-file', passwordFile, '--ready-file', readyFile];
  const ports = ['--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'];
  const all = [...words, ...more, ...ports];
  console.log(`\n$ vmctl ${all.map(shown).join(' ')} &`);
  const child = spawn(process.execPath, [vmctl, ...all], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise((done) => child.once('exit', done));
  let gone = false;
  exited.then(() => {
    gone = true;
  });
  while (!existsSync(readyFile)) {
    if (gone) throw new Error('The server did not start.');
    await new Promise((done) => setTimeout(done, 20));
  }
  const stop = async () => {
    console.log(`\n$ kill -TERM ${child.pid}`);
    child.kill('SIGTERM');
    return exited;
  };
  return {
    ready: JSON.parse(readFileSync(readyFile, 'utf8')),
    stop,
    kill: () => child.kill('SIGKILL'),
  };
}

/** The image that was given, or one made on the spot: a boot sector, data, and a hole. */
function image() {
  const given = process.argv[2];
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

/** SHA-256 of the first bytes of a file: disks are whole sectors, images need not be. */
async function sha256(path, length) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path, { end: length - 1 })) hash.update(piece);
  return hash.digest('hex');
}

let server;
try {
  const source = image();
  title('A reference server of its own, with simulated hosts and real disk bytes');
  server = await startServer();
  check(new URL(server.ready.api_url).protocol === 'https:', 'it answers over TLS');

  title('Sign in: the certificate authority is fetched, compared and pinned');
  const { X509Certificate } = await import('node:crypto');
  const ca = new X509Certificate(readFileSync(server.ready.ca_file));
  await run(
    ...['login', server.ready.base_url, '--username', server.ready.username],
    ...['--password-file', passwordFile, '--ca-fingerprint', ca.fingerprint256],
  );
  check((await run('whoami')).includes('admin'), 'the administrator is signed in');

  title('Look around');
  check((await run('datacenters', 'list')).includes('up'), 'the data center is up');
  check((await run('clusters', 'list')).includes('Default'), 'there is a cluster');
  check((await run('hosts', 'list')).includes('host1'), 'there are hosts');
  check((await run('storagedomains', 'list')).includes('data1'), 'there is storage');

  title('Make a virtual machine, with an interface and a disk');
  await run(
    'vms',
    'create',
    '--name',
    'demo',
    '--cluster',
    'Default',
    '--template',
    'Blank',
    '--memory',
    '2GiB',
  );
  const nic = await run('nics', 'create', '--vm', 'demo', '--name', 'nic1');
  check(/56:6f:1a:16:/.test(nic), 'the interface has an address of the pool');
  await run('disks', 'upload', source, '--name', 'demo-disk', '--storagedomain', 'data1');
  await run(
    ...['diskattachments', 'attach', '--vm', 'demo', '--disk', 'demo-disk'],
    ...['--bootable', '--active', '--interface', 'virtio_scsi'],
  );

  title('Start it, and wait until it is up');
  await run('vms', 'start', 'demo', '--wait');
  const up = await run('vms', 'list', '--search', 'status=up');
  check(
    up.split('\n').some((line) => line.startsWith('demo ')),
    'demo is among those that are up',
  );
  const events = await run('events', 'list', '--tail', '--limit', '8', '--until-idle', '1s');
  check(events.includes('VM demo started'), 'the event says so');

  title('Stop it, and carry the disk down again');
  await run('vms', 'stop', 'demo', '--wait');
  const copy = join(folder, `copy-of-${basename(source)}`);
  await run('disks', 'download', 'demo-disk', copy);
  const { size } = statSync(source);
  const [before, after] = [await sha256(source, size), await sha256(copy, size)];
  console.log(`\n$ sha256sum ${shown(source)} ${shown(copy)}\n${before}\n${after}`);
  check(before === after, 'both have the same SHA-256');

  title('Stop the server, and start it again on the same data');
  check((await server.stop()) === 0, 'it stopped with exit code 0');
  server = await startServer();
  await run(
    ...['login', server.ready.base_url, '--username', server.ready.username],
    ...['--password-file', passwordFile, '--ca-fingerprint', ca.fingerprint256],
  );
  const vms = await run('vms', 'list', '--search', 'name=demo');
  check(vms.includes('demo') && vms.includes('down'), 'the virtual machine is still there');
  check((await run('disks', 'list', '--search', 'alias=demo-disk')).includes('ok'), 'and its disk');
  const again = join(folder, 'again.img');
  await run('disks', 'download', 'demo-disk', again);
  check((await sha256(again, size)) === after, 'and every byte of it');
  check((await server.stop()) === 0, 'the server stopped');
  server = undefined;
  console.log(`\nAll steps were verified, in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
} catch (error) {
  console.error(`\nThe demo failed: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  server?.kill();
  rmSync(folder, { recursive: true, force: true });
}
