/** First boot data that a real guest reads. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findProcesses } from '../../../../src/features/qemu/processes.ts';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';

const hasProgram = spawnSync('xorriso', ['--version']).error === undefined;
const obstacle = findSkipReason() ?? (hasProgram ? undefined : 'not installed: xorriso');
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;
const password = 'secret of the guest';

/** Mounts the disc by its label, and prints a file of it. */
function read(label: string, path: string): string {
  return `mkdir -p /disc; mount -r $(findfs LABEL=${label}) /disc; cat /disc/${path}; umount /disc`;
}

let site: GuestSite;

describe.skipIf(obstacle !== undefined)(`first boot data${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.createBare({
      initialization: {
        ...{ host_name: 'web01.example.com', user_name: 'admin', root_password: password },
        custom_script: 'packages: [nginx]\n',
        nic_configurations: {
          nic_configuration: [{ name: 'eth0', boot_protocol: 'dhcp', on_boot: true }],
        },
      },
    });
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it(
    'of cloud-init reach the guest in its first run only, unless the start requests them',
    async () => {
      await site.start();
      const user = await site.inGuest(read('cidata', 'user-data'));
      const meta = await site.inGuest(read('cidata', 'meta-data'));
      const network = await site.inGuest(read('cidata', 'network-config'));
      expect(user).toMatch(/^#cloud-config\r\n/);
      expect(user).toContain('user: "admin"');
      expect(user).toContain(`password: "${password}"`);
      expect(user).toContain('packages: [nginx]');
      expect(meta).toContain('local-hostname: "web01.example.com"');
      expect(network).toContain('"type":"dhcp4"');
      expect(statSync(join(site.folder, 'first-boot.iso')).mode & 0o777).toBe(0o600);
      const pid = findProcesses(join(site.data, 'vms')).get(site.vm);
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
      await site.stop();
      await site.start();
      expect(await site.inGuest('findfs LABEL=cidata || echo none')).toBe('none');
      await site.stop();
      expect((await site.api.json('GET', '/events')).text).not.toContain(password);
    },
    timeout,
  );

  it(
    'of Ignition are on a config drive',
    async () => {
      const script = JSON.stringify({ ignition: { version: '3.4.0' } });
      await site.start({
        use_ignition: true,
        vm: {
          initialization: {
            ...{ host_name: 'core1', custom_script: script, root_password: '$6$salt$hash' },
            nic_configurations: { nic_configuration: [] },
          },
        },
      });
      const text = await site.inGuest(read('config-2', 'openstack/latest/user_data'));
      expect(JSON.parse(text)).toMatchObject({
        ignition: { version: '3.4.0' },
        passwd: { users: [{ name: 'admin', passwordHash: '$6$salt$hash' }] },
        storage: { files: [{ path: '/etc/hostname', contents: { source: 'data:,core1%0A' } }] },
      });
    },
    timeout,
  );
});
