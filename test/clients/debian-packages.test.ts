/**
 * Programs of Debian for these services: the fence agent of clusters (fence-agents), a monitoring
 * plugin (centreon-plugins), and the library of virt-viewer and GNOME Boxes (libgovirt). Tests of
 * programs that are not installed are skipped.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServerProcess } from '../support/server.ts';

const run = promisify(execFile);
const python = '/usr/bin/python3';
const fenceAgent = '/usr/sbin/fence_rhevm';
const monitor = '/usr/lib/nagios/plugins/centreon_plugins.pl';

const works = (command: string, ...words: readonly string[]) =>
  existsSync(command) && spawnSync(command, words).status === 0;
const hasGovirt = works(python, '-c', 'import gi; gi.require_version("GoVirt", "1.0")');
const hasMonitor = existsSync(monitor) && works('/usr/bin/perl', '-MDateTime', '-MLWP', '-e', '1');

let server: ServerProcess;
let host = '';
let port = '';

beforeAll(async () => {
  server = await startServerProcess(['--dialect', 'ovirt', '--speed', '0', '--inventory', 'small']);
  ({ hostname: host, port } = new URL(server.ready.api_url));
});
afterAll(async () => {
  await server.stop();
});

describe.skipIf(!existsSync(fenceAgent))('fence_rhevm', () => {
  /** Exit status and output of an action of the agent. */
  async function fence(...words: readonly string[]): Promise<[number, string]> {
    const at = ['-a', host, '-u', port, '-l', server.ready.username];
    if (!words.includes('-p')) at.push('-p', server.password);
    try {
      const { stdout } = await run(fenceAgent, [...at, '-z', '--ssl-insecure', ...words]);
      return [0, stdout.trim()];
    } catch (error) {
      const { code, stdout } = error as { code: number; stdout: string };
      return [code, stdout.trim()];
    }
  }

  it('lists VMs, with and without a session', async () => {
    const all = [0, 'vm-01,\nvm-02,\nvm-03,'];
    expect(await fence('-o', 'list')).toEqual(all);
    expect(await fence('-o', 'list', '--use-cookies')).toEqual(all);
    expect(await fence('-o', 'list', '--disable-http-filter')).toEqual(all);
    expect(await fence('-o', 'monitor')).toEqual([0, '']);
  });

  it('powers a VM off and on, and detects the result', async () => {
    const plug = ['-n', 'vm-03'];
    expect(await fence('-o', 'status', ...plug)).toEqual([0, 'Status: ON']);
    expect(await fence('-o', 'off', ...plug)).toEqual([0, 'Success: Powered OFF']);
    expect(await fence('-o', 'status', ...plug)).toEqual([2, 'Status: OFF']);
    expect(await fence('-o', 'on', ...plug)).toEqual([0, 'Success: Powered ON']);
    expect(await fence('-o', 'reboot', ...plug)).toEqual([0, 'Success: Rebooted']);
  });

  it('reports an unknown VM, and a wrong password', async () => {
    expect((await fence('-o', 'status', '-n', 'nowhere'))[0]).toBe(1);
    expect((await fence('-o', 'status', '-n', 'vm-01', '-p', 'wrong'))[0]).toBe(1);
  });
});

describe.skipIf(!hasGovirt)('libgovirt', () => {
  it('finds VMs, starts one, gets its console, and lists the site', async () => {
    const script = fileURLToPath(new URL('support/libgovirt.py', import.meta.url));
    const { ca_file: authority, username } = server.ready;
    const words = [script, `${host}:${port}`, authority, username, server.password, 'vm-02'];
    const { stdout } = await run(python, words);
    expect(JSON.parse(stdout)).toEqual({
      vms: ['vm-01', 'vm-02', 'vm-03'],
      before: 'down',
      started: 'up',
      display: {
        type: 'vnc',
        address: expect.stringMatching(/^host\d\.example\.com$/),
        port: true,
        ticket: true,
        expiry: expect.any(Number),
      },
      cdroms: ['cdrom0'],
      host: expect.stringMatching(/^host\d$/),
      cluster: 'Default',
      stopped: 'down',
      clusters: ['Default'],
      data_centers: ['Default'],
      hosts: ['host1', 'host2'],
      storage_domains: ['data1', 'data2', 'iso1', 'repository'],
      files: { iso1: expect.arrayContaining(['debian-12.7.0-amd64-netinst.iso']) },
      master: ['data1'],
    });
  });
});

describe.skipIf(!hasMonitor)('centreon_plugins.pl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vmctl-monitor-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function check(mode: string): Promise<string> {
    const { stdout } = await run(monitor, [
      ...['--plugin=apps::virtualization::ovirt::plugin', `--mode=${mode}`],
      ...[`--hostname=${host}`, `--port=${port}`],
      ...[`--api-username=${server.ready.username}`, `--api-password=${server.password}`],
      ...['--ssl-opt=SSL_verify_mode => SSL_VERIFY_NONE', '--ssl-opt=verify_hostname => 0'],
      `--statefile-dir=${folder}`,
    ]);
    return stdout;
  }

  it('lists the site', async () => {
    const hosts = await check('list-hosts');
    expect(hosts).toMatch(/\[name = host1\]\[address = host1\.example\.com\]\[status = up\]/);
    expect(await check('list-clusters')).toContain('[name = Default]');
    expect(await check('list-datacenters')).toContain('[name = Default]');
  });

  it('reads the statistics of hosts', async () => {
    const cpu = await check('cpu-host');
    expect(cpu).toMatch(/^OK: All hosts are ok/);
    expect(cpu).toMatch(/'host2#host\.cpu\.user\.utilization\.percentage'=\d+(\.\d+)?%/);
  });
});
