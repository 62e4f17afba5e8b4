// Soak test: a million requests to `vmctl serve`, with image transfers in between. Exits with 1 if
// memory, descriptors or event loop delay of the server grow.
//
//   npm run test:soak
//   npm run test:soak -- --requests 20000
//   npm run test:soak -- --requests 20000 --leak 1024    a server that leaks: must be detected
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from 'undici';
import { prepare, root } from './prepare.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    leak: { type: 'string', default: '0' },
    json: { type: 'boolean', default: false },
    // A test run has built the command, and must not build it again.
    built: { type: 'boolean', default: false },
  },
});
if (!values.built) await prepare();
const requests = Number(values.requests);
const samples = requests < 100_000 ? 8 : 20;
const parallel = 16;
const MiB = 2 ** 20;
/** Limits of growth: bytes in 1,000 requests, descriptors, milliseconds of the event loop (p99). */
const bars = { memory: 1_024, descriptors: 0, delay: 20 };

/** Script in the server that reports its memory after a collection, and its event loop delay. */
const teller = `
  import { monitorEventLoopDelay } from 'node:perf_hooks';
  if (process.channel) {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const leaked = [];
    process.on('message', (requests) => {
      const p99 = delay.percentile(99) / 1e6;
      for (let at = 0; at < requests && ${values.leak} > 0; at += 1) leaked.push(Buffer.allocUnsafeSlow(${values.leak}));
      globalThis.gc(); globalThis.gc();
      const { heapUsed, external, rss } = process.memoryUsage();
      process.send({ used: heapUsed + external, rss, p99 });
      delay.reset();
    });
    process.channel.unref();
  }`;

const folder = mkdtempSync(join(tmpdir(), 'vmctl-soak-'));
const ready = join(folder, 'ready.json');
const child = spawn(
  process.execPath,
  [
    ...['--expose-gc', '--import', `data:text/javascript,${encodeURIComponent(teller)}`],
    ...[join(root, 'bin/vmctl.js'), 'serve', '--data', join(folder, 'site'), '--speed', '0'],
    ...['--inventory', 'small', '--listen', '127.0.0.1:0', '--images-listen', '127.0.0.1:0'],
    ...['--ready-file', ready],
  ],
  {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, VMCTL_SERVE_PASSWORD: 'soak' },
  },
);
try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(folder, { recursive: true, force: true });
}

async function soak() {
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`The server ended with ${child.exitCode}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { api_url: api, ca_file: ca } = JSON.parse(readFileSync(ready, 'utf8'));
  const agent = new Agent({ connections: parallel, connect: { ca: readFileSync(ca, 'utf8') } });
  const site = await look(agent, api);
  const seen = [];
  const began = Date.now();
  for (let sample = 0; sample < samples; sample += 1) {
    const number = Math.ceil(requests / samples);
    const turns = Array.from({ length: parallel }, (_, worker) =>
      work(site, worker, Math.ceil(number / parallel)),
    );
    await Promise.all(turns);
    await transfer(site);
    const told = await tell(number);
    seen.push({ ...told, descriptors: readdirSync(`/proc/${child.pid}/fd`).length });
    if (!values.json) report(sample, seen.at(-1));
  }
  await agent.destroy();
  // The first quarter fills caches.
  const steady = seen.slice(samples / 4);
  const memory = slope(steady.map(({ used }) => used)) / (requests / samples / 1_000);
  const resident = slope(steady.map(({ rss }) => rss)) / (requests / samples / 1_000);
  const descriptors = Math.max(0, slope(steady.map((one) => one.descriptors))) * steady.length;
  const delay = Math.max(...steady.map(({ p99 }) => p99));
  const seconds = (Date.now() - began) / 1_000;
  const result = { requests, seconds, memory, resident, descriptors, delay };
  console.log(values.json ? JSON.stringify(result) : formatSample(result));
  const short = requests < 100_000 && Number(values.leak) === 0;
  return (
    (short || memory <= bars.memory) &&
    Math.floor(descriptors) <= bars.descriptors &&
    (short || delay <= bars.delay)
  );
}

function formatSample({ seconds, memory, resident, descriptors, delay }) {
  return [
    `${requests} requests in ${Math.round(seconds)} s`,
    `memory in use: ${memory.toFixed(0)} bytes more in 1,000 requests (bar ${bars.memory})`,
    `resident memory: ${resident.toFixed(0)} bytes more in 1,000 requests`,
    `descriptors: ${descriptors.toFixed(1)} more (bar ${bars.descriptors})`,
    `event loop: p99 ${delay.toFixed(1)} ms at most (bar ${bars.delay})`,
  ].join('\n');
}

function report(sample, { used, rss, p99, descriptors }) {
  const parts = [used / MiB, rss / MiB].map((size) => `${size.toFixed(1)} MiB`);
  console.log(
    `${sample + 1}/${samples}: ${parts[0]} in use, ${parts[1]} resident, ${descriptors} descriptors, p99 ${p99.toFixed(1)} ms`,
  );
}

function tell(number) {
  return new Promise((resolve) => {
    child.once('message', resolve);
    child.send(number);
  });
}

/** Growth between samples, by least squares. */
function slope(numbers) {
  const middle = (numbers.length - 1) / 2;
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
  const [up, down] = numbers.reduce(
    ([a, b], one, index) => [a + (index - middle) * (one - mean), b + (index - middle) ** 2],
    [0, 0],
  );
  return up / down;
}

async function look(agent, api) {
  const headers = {
    authorization: `Basic ${Buffer.from('admin@internal:soak').toString('base64')}`,
    accept: 'application/json',
    'content-type': 'application/json',
  };
  const { origin, pathname } = new URL(api);
  const site = { agent, origin, prefix: pathname, headers };
  const { vm } = JSON.parse(await call(site, 'GET', '/vms'));
  const disk = JSON.parse(
    await call(site, 'POST', '/disks', {
      ...{ name: 'soaked', provisioned_size: 4 * MiB, format: 'raw' },
      storage_domains: { storage_domain: [{ name: 'data1' }] },
    }),
  );
  return { ...site, vms: vm.map(({ id }) => id), disk: disk.id };
}

/** Sends a request. Throws unless it succeeds. */
async function call({ agent, origin, prefix, headers }, method, path, body) {
  const answer = await agent.request({
    ...{ origin, path: `${prefix}${path}`, method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}

/** Typical requests of clients: reads, searches, some changes. */
async function work(site, worker, number) {
  const { vms } = site;
  for (let turn = 0; turn < number; ) {
    const vm = vms[(turn + worker) % vms.length];
    for (let again = 0; again < 12; again += 1) await call(site, 'GET', `/vms/${vm}`);
    await call(site, 'GET', '/vms?max=5');
    await call(site, 'GET', '/vms?search=status%3Ddown&max=5&follow=nics');
    await call(site, 'GET', '/events?max=10');
    await call(site, 'PUT', `/vms/${vm}`, { comment: `${turn}` });
    const { id } = JSON.parse(
      await call(site, 'POST', '/bookmarks', { name: `soak-${worker}`, value: `${turn}` }),
    );
    await call(site, 'DELETE', `/bookmarks/${id}`);
    turn += 18;
  }
}

/** Uploads and downloads data. */
async function transfer(site) {
  const bytes = Buffer.alloc(4 * MiB, Date.now() % 251);
  for (const direction of ['upload', 'download']) {
    const { id } = JSON.parse(
      await call(site, 'POST', '/imagetransfers', { disk: { id: site.disk }, direction }),
    );
    let now;
    do now = JSON.parse(await call(site, 'GET', `/imagetransfers/${id}`));
    while (now.phase === 'initializing');
    const { origin, pathname: path } = new URL(now.transfer_url);
    const isUpload = direction === 'upload';
    const answer = await site.agent.request({
      ...{ origin, path, method: isUpload ? 'PUT' : 'GET' },
      ...(isUpload ? { body: bytes } : {}),
    });
    const came = Buffer.from(await answer.body.arrayBuffer());
    if (!isUpload && !came.equals(bytes)) throw new Error('other bytes came back');
    await call(site, 'POST', `/imagetransfers/${id}/finalize`, {});
    do now = JSON.parse(await call(site, 'GET', `/disks/${site.disk}`));
    while (now.status === 'locked');
  }
}
