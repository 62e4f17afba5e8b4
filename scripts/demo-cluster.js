// Demonstration of three servers on one site. Starts PostgreSQL, three `vmctl serve` and HAProxy in
// a temporary folder, runs the main workflow, and kills the server that receives an upload.
// Requires PostgreSQL and HAProxy (apt install postgresql haproxy). Exits with 0 only if every step
// was verified.
//
//   npm run demo:cluster
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDemo, vmctl } from './demo-steps.js';
import { prepare, root } from './prepare.js';

await prepare();

const demo = makeDemo();
const { folder, environment, passwordFile, run, shown, title, check, image, sha256 } = demo;
// PostgreSQL refuses to run as root, so another user needs access.
execFileSync('chmod', ['711', folder]);
const ending = [];

/** Free ports. */
async function freePorts(count) {
  const probes = Array.from({ length: count }, () => createServer());
  for (const probe of probes) await new Promise((done) => probe.listen(0, '127.0.0.1', done));
  const ports = probes.map((probe) => probe.address().port);
  for (const probe of probes) probe.close();
  return ports;
}

/** Starts PostgreSQL without flushes, because its data are temporary. */
function startPostgres() {
  const versions = '/usr/lib/postgresql';
  const newest = existsSync(versions) ? readdirSync(versions).sort().at(-1) : undefined;
  if (newest === undefined) throw new Error('PostgreSQL is missing: apt install postgresql');
  const place = join(folder, 'postgresql');
  mkdirSync(place);
  const isRoot = process.getuid() === 0;
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres']));
  if (isRoot) chownSync(place, id('-u'), id('-g'));
  const call = (program, ...words) => {
    const line = [join(versions, newest, 'bin', program), '-D', join(place, 'data'), ...words];
    console.log(`\n$ ${program} ${words.map(shown).join(' ')}`);
    const [command, ...rest] = isRoot ? ['runuser', '-u', 'postgres', '--', ...line] : line;
    execFileSync(command, rest, { cwd: place, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  call('initdb', '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  const options = `-c listen_addresses= -c unix_socket_directories=${place} -c fsync=off`;
  call('pg_ctl', '-l', join(place, 'log'), '-o', options, '-w', 'start');
  ending.push(() => call('pg_ctl', '-m', 'immediate', '-w', 'stop'));
  return `postgres://postgres@/postgres?host=${encodeURIComponent(place)}`;
}

async function startServer(number, store, [port, images]) {
  const ready = join(folder, `ready${number}.json`);
  const words = [
    ...['serve', '--store', store, '--images', join(folder, 'images')],
    ...['--data', join(folder, `server${number}`), '--password-file', passwordFile],
    ...['--listen', `127.0.0.1:${port}`, '--images-listen', `127.0.0.1:${images}`],
    ...['--inventory', 'small', '--speed', '0.2', '--ready-file', ready],
  ];
  console.log(`\n$ vmctl ${words.map(shown).join(' ')} &`);
  const child = spawn(process.execPath, [vmctl, ...words], {
    env: environment,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  ending.push(() => child.kill('SIGKILL'));
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`Server ${number} did not start.`);
    await wait(20);
  }
  return { number, child, ...JSON.parse(readFileSync(ready, 'utf8')) };
}

/** Starts HAProxy with the configuration in docs/scale-out.md. */
async function startBalancer(ports) {
  if (!existsSync('/usr/sbin/haproxy')) throw new Error('HAProxy is missing: apt install haproxy');
  const [port] = await freePorts(1);
  const text = /```haproxy\n(.*?)```/s.exec(
    readFileSync(join(root, 'docs/scale-out.md'), 'utf8'),
  )[1];
  const file = join(folder, 'haproxy.cfg');
  const own = text.replace(/server(\d)\.example\.com:8443/g, (_, n) => `127.0.0.1:${ports[n - 1]}`);
  writeFileSync(file, own.replace('bind :443', `bind 127.0.0.1:${port}`));
  console.log(`\n$ haproxy -db -f ${shown(file)} &`);
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', file], { stdio: 'ignore' });
  ending.push(() => child.kill());
  return `https://127.0.0.1:${port}`;
}

try {
  title('Start PostgreSQL, three servers and HAProxy');
  const store = startPostgres();
  const ports = await freePorts(6);
  const servers = [];
  for (const number of [1, 2, 3]) {
    servers.push(await startServer(number, store, [ports[number - 1], ports[number + 2]]));
  }
  const url = `${await startBalancer(ports)}/virt-app`;
  const authorities = servers.map(({ ca_file: file }) => readFileSync(file, 'utf8'));
  check(new Set(authorities).size === 1, 'all servers have one certificate authority');

  title('Sign in through the load balancer');
  await wait(1_500);
  const { X509Certificate } = await import('node:crypto');
  await run(
    ...['login', url, '--username', 'admin@internal', '--password-file', passwordFile],
    ...['--ca-fingerprint', new X509Certificate(authorities[0]).fingerprint256],
  );
  const credentials = ['--username', 'admin@internal', '--password-file', passwordFile];
  const everywhere = async (...words) => {
    for (const { base_url: one, ca_file: ca } of servers) {
      if (servers.find(({ base_url: base }) => base === one).child.exitCode !== null) continue;
      await run(...words, '--url', one, '--ca-file', ca, ...credentials);
    }
  };
  await run('vms', 'create', '--name', 'demo', '--cluster', 'Default', '--template', 'Blank');
  await everywhere('vms', 'get', 'demo', '-o', 'name');

  title('Upload an image, and kill the server that receives it');
  const source = image();
  const upload = run(
    ...['disks', 'upload', source, '--name', 'demo-disk', '--storage-domain', 'data1'],
    ...['--limit-rate', '2M'],
  );
  const killed = await receiving(servers);
  await wait(1_500);
  console.log(
    `\n$ kill -KILL ${killed.child.pid}   # server ${killed.number}, in the middle of it`,
  );
  killed.child.kill('SIGKILL');
  await upload;
  check(true, 'another server continued the upload');

  title('Start and stop the VM with the remaining servers');
  await run(
    'diskattachments',
    'attach',
    '--vm',
    'demo',
    '--disk',
    'demo-disk',
    '--interface',
    'virtio',
    '--active',
  );
  await run('vms', 'start', 'demo', '--wait');
  check((await run('vms', 'list', '--search', 'status=up')).includes('demo'), 'demo is up');
  await run('vms', 'stop', 'demo', '--wait');

  title('Download the disk');
  const copy = join(folder, 'copy.img');
  await run('disks', 'download', 'demo-disk', copy);
  const size = readFileSync(source).length;
  check(
    (await sha256(source, size)) === (await sha256(copy, size)),
    'both files have the same SHA-256',
  );
  demo.succeeded();
} catch (error) {
  demo.failed(error);
} finally {
  for (const end of ending.reverse()) end();
  demo.remove();
}

/** Server whose image daemon has a ticket. */
async function receiving(all) {
  for (;;) {
    const list = execFileSync(process.execPath, [vmctl, 'imagetransfers', 'list', '-o', 'json'], {
      env: environment,
      encoding: 'utf8',
    });
    const found = JSON.parse(list)[0]?.transfer_url;
    const owner = all.find(({ upload_url: own }) => found?.startsWith(own));
    if (owner) return owner;
    await wait(100);
  }
}
