// Demonstration: starts `vmctl serve` and runs the built vmctl as a user does. Prints each command
// with its output. Exits with 0 only if every step was verified.
//
//   npm run demo
//   npm run demo -- path/to/image.iso|.img|.qcow2
import { statSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { makeDemo } from './demo-steps.js';
import { prepare } from './prepare.js';

await prepare();

const demo = makeDemo();
const { folder, run, shown, title, check, image, sha256 } = demo;

/** Starts the server; after a stop, with the same data. */
function startServer() {
  // Relative path, as users type it.
  const site = relative(process.cwd(), join(folder, 'site'));
  return demo.serve('--data', site, '--inventory', 'small', '--speed', '0.2');
}

let server;
try {
  const source = image();
  title('Start a reference server with simulated hosts and real disk contents');
  server = await startServer();
  check(new URL(server.ready.api_url).protocol === 'https:', 'the server uses TLS');

  title('Sign in and trust the certificate authority');
  await demo.signIn(server);
  check((await run('whoami')).includes('admin'), 'the administrator is signed in');

  title('List the objects of the site');
  check((await run('datacenters', 'list')).includes('up'), 'the data center is up');
  check((await run('clusters', 'list')).includes('Default'), 'the cluster Default exists');
  check((await run('hosts', 'list')).includes('host1'), 'host1 exists');
  check((await run('storagedomains', 'list')).includes('data1'), 'data1 exists');

  title('Create a VM with a NIC and a disk');
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
  check(/56:6f:1a:16:/.test(nic), 'the NIC has an address of the MAC pool');
  await run('disks', 'upload', source, '--name', 'demo-disk', '--storage-domain', 'data1');
  await run(
    ...['diskattachments', 'attach', '--vm', 'demo', '--disk', 'demo-disk'],
    ...['--bootable', '--active', '--interface', 'virtio_scsi'],
  );

  title('Start the VM and wait until it is up');
  await run('vms', 'start', 'demo', '--wait');
  const up = await run('vms', 'list', '--search', 'status=up');
  check(
    up.split('\n').some((line) => line.startsWith('demo ')),
    'demo is among those that are up',
  );
  const events = await run('events', 'list', '--tail', '--limit', '8', '--until-idle', '1s');
  check(events.includes('VM demo started'), 'the event log has its start');

  title('Stop the VM and download its disk');
  await run('vms', 'stop', 'demo', '--wait');
  const copy = join(folder, `copy-of-${basename(source)}`);
  await run('disks', 'download', 'demo-disk', copy);
  const { size } = statSync(source);
  const [before, after] = [await sha256(source, size), await sha256(copy, size)];
  console.log(`\n$ sha256sum ${shown(source)} ${shown(copy)}\n${before}\n${after}`);
  check(before === after, 'both files have the same SHA-256');

  title('Stop the server and start it again with the same data');
  check((await server.stop()) === 0, 'the server exited with code 0');
  server = await startServer();
  await demo.signIn(server);
  const vms = await run('vms', 'list', '--search', 'name=demo');
  check(vms.includes('demo') && vms.includes('down'), 'the VM still exists');
  check(
    (await run('disks', 'list', '--search', 'alias=demo-disk')).includes('ok'),
    'its disk still exists',
  );
  const again = join(folder, 'again.img');
  await run('disks', 'download', 'demo-disk', again);
  check((await sha256(again, size)) === after, 'its contents are unchanged');
  check((await server.stop()) === 0, 'the server exited with code 0');
  server = undefined;
  demo.succeeded();
} catch (error) {
  demo.failed(error);
} finally {
  server?.kill();
  demo.remove();
}
