// Comparison with a real engine: runs the recorded session against `vmctl serve`, and prints the
// number of equal responses and the causes of differences.
//
//   npm run truth                       the score and the first 20 causes
//   npm run truth -- --only 'vms/*'     only these steps
//   npm run truth -- --out DIR          stores transcript, report.md and differences.jsonl
//   npm run truth -- --write            raises the minimum score after an improvement
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { prepare, root } from './prepare.js';

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, out: { type: 'string' }, write: { type: 'boolean' } },
});
await prepare();

const truth = join(root, 'test/truth');
const scoreFile = join(truth, 'score.json');
const folder = options.out ?? mkdtempSync(join(tmpdir(), 'vmctl-truth-'));
mkdirSync(folder, { recursive: true });
const passwordFile = join(folder, 'password');
const readyFile = join(folder, 'ready.json');
const report = join(folder, 'report.md');

/** Free port of 127.0.0.1. */
function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Runs a script of the comparison. Exits if it fails. */
function run(script, ...words) {
  const { status, stdout } = spawnSync(process.execPath, [join(truth, script), ...words], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${script} failed`);
  return stdout.trim();
}

async function startServer() {
  writeFileSync(passwordFile, 'password', { mode: 0o600 });
  rmSync(readyFile, { force: true });
  const ports = ['--listen', `127.0.0.1:${await freePort()}`];
  ports.push('--images-listen', `127.0.0.1:${await freePort()}`);
  const kind = ['--dialect', 'ovirt', '--memory', '--inventory', 'empty', '--speed', '0'];
  const files = ['--password-file', passwordFile, '--ready-file', readyFile];
  const words = [join(root, 'bin/vmctl.js'), 'serve', ...kind, ...ports, ...files];
  // The recorded engine ran in UTC.
  const env = { ...process.env, TZ: 'UTC' };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (!existsSync(readyFile)) {
    if (child.exitCode !== null) throw new Error('The server did not start.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { ready: JSON.parse(readFileSync(readyFile, 'utf8')), stop };
}

const server = await startServer();
try {
  const { api_url: url, ca_file: ca } = server.ready;
  const account = ['--user', 'admin@internal', '--password-file', passwordFile];
  const hosts = ['--host-address', '127.0.1.1', '--host-address2', '127.0.1.2'];
  const more = ['--cluster-version', '4.7', '--out', folder];
  console.log(run('drive.mjs', '--base', url, '--ca', ca, ...account, ...hosts, ...more));
} finally {
  await server.stop();
}
const only = options.only ? ['--only', options.only] : [];
const ignore = ['--ignore', join(truth, 'decisions.txt')];
const recording = join(truth, 'engine.jsonl.gz');
console.log(run('compare.mjs', recording, folder, ...ignore, ...only, '-o', report));

const { compared, equal, causes } = JSON.parse(readFileSync(join(folder, 'score.json'), 'utf8'));
for (const [index, { kind, title, steps, first }] of causes.slice(0, 20).entries()) {
  console.log(`${String(index + 1).padStart(3)}. ${kind}: ${title} (${steps} steps; ${first})`);
}
if (!options.only) {
  const { equal: least } = JSON.parse(readFileSync(scoreFile, 'utf8'));
  if (options.write) {
    writeFileSync(scoreFile, `${JSON.stringify({ compared, equal }, null, 2)}\n`);
  } else if (equal < least) {
    console.error(`The score fell: ${equal} steps are equal, and ${least} were.`);
    process.exitCode = 1;
  } else if (equal > least) {
    console.log(`The score rose from ${least} to ${equal}; "npm run truth -- --write" keeps it.`);
  }
}
if (options.out) console.log(`Report: ${report}`);
else rmSync(folder, { recursive: true, force: true });
