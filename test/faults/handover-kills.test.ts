/**
 * kill -9 at each disk call while a storage domain moves from one site to another. At any moment it
 * belongs to one site or is free and complete, and no byte is lost.
 */
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseCount, recordResult } from './support/catalogue.ts';
import { cannotInject, countMostCalls, Injection } from './support/inject.ts';
import { SharingSite } from './support/sharing-site.ts';

/** System calls that modify the disk or flush it. */
const calls =
  'fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,rmdir,ftruncate';

let shared: string;
let sites: [SharingSite, SharingSite];

beforeEach(async () => {
  shared = join(mkdtempSync(join(tmpdir(), 'vmctl-shared-')), 'storage');
  sites = [new SharingSite(shared), new SharingSite(shared)];
  for (const site of sites) await site.begin();
});
afterEach(async () => {
  for (const site of sites) await site.remove();
  rmSync(join(shared, '..'), { recursive: true, force: true });
});

/** Whether the process of a site has exited. */
const isDead = ({ server }: SharingSite) =>
  server.process.exitCode !== null || server.process.signalCode !== null;

/**
 * Runs an operation while the n-th call of a thread kills the server; false if there are fewer
 * calls.
 */
async function killedAt(
  site: SharingSite,
  when: number,
  act: () => Promise<unknown>,
): Promise<boolean> {
  const fault = { call: calls, effect: 'signal=SIGKILL', when: String(when) };
  const injection = await Injection.into(site.server.ready.pid, fault);
  try {
    await act();
  } catch (error) {
    // The connection ends before the process.
    const { process } = site.server;
    if (!isDead(site)) await once(process, 'exit', { signal: AbortSignal.timeout(5_000) });
    if (process.signalCode !== 'SIGKILL') throw error;
  } finally {
    await injection.end();
  }
  return isDead(site);
}

/** Status of a domain in the data center of a site; undefined if it is not attached. */
async function readStatus(site: SharingSite, domain: string): Promise<unknown> {
  const answer = await site.api.until(site.attached(domain), ({ status, json }) => {
    return status === 404 || /^(active|inactive|maintenance)$/.test(String(json()['status']));
  });
  return answer.status === 404 ? undefined : answer.json()['status'];
}

/** Checks that the shared storage is complete if another site may attach it. */
function requireWhole(domain: string): void {
  if (existsSync(join(shared, domain, 'attached.json'))) return;
  const text = readFileSync(join(shared, domain, 'contents.json'), 'utf8');
  const { images } = JSON.parse(text) as { images: { id: string; length: number }[] };
  expect(images).toHaveLength(2);
  for (const { id, length } of images) {
    expect(statSync(join(shared, domain, 'images', id)).size).toBeGreaterThanOrEqual(length);
  }
}

async function detach(site: SharingSite, domain: string): Promise<void> {
  const status = await readStatus(site, domain);
  if (status === undefined) return;
  if (status === 'active') {
    await site.post(`${site.attached(domain)}/deactivate`, {});
    await site.until(domain, 'maintenance');
  }
  const answer = await site.api.json('DELETE', site.attached(domain));
  expect(answer.status, answer.text).toBeLessThan(300);
  await site.api.until(site.attached(domain), ({ status }) => status === 404);
}

async function attach(site: SharingSite, domain: string): Promise<void> {
  const known = await site.api.json('GET', `/storagedomains/${domain}`);
  if (known.status === 404) await site.importDomain();
  if ((await readStatus(site, domain)) === undefined) await site.attach(domain);
}

/** Creates a domain with a VM that has two disks with data; resolves with their ids. */
async function furnish(site: SharingSite) {
  const domain = (await site.post('/storagedomains', site.domain({ name: 'travel' }))).id;
  await site.attach(domain);
  const vm = await site.post('/vms', {
    ...{ name: 'traveller', cluster: { id: site.cluster }, template: { name: 'Blank' } },
  });
  const disks = new Map<string, Buffer>();
  for (const format of ['raw', 'cow'] as const) {
    const [id, bytes] = await site.full(domain, `disk-${format}`, format);
    disks.set(id, bytes);
    const how = { interface: 'virtio', bootable: false, active: true };
    await site.post(`/vms/${vm.id}/diskattachments`, { disk: { id }, ...how });
  }
  return { domain, vm: vm.id, disks };
}

describe.skipIf(cannotInject())('B7 kills during a handover', () => {
  it('B7 leaves the domain attached to one site or free, and loses no byte', async () => {
    let [here, there] = sites;
    const { domain, vm, disks } = await furnish(here);
    const kills = { detached: 0, attached: 0 };

    /** Checks that a site has the VM and its disks, with their bytes. */
    const requireHere = async (site: SharingSite) => {
      if ((await site.api.json('GET', `/vms/${vm}`)).status === 404) {
        await site.register(domain, 'vms', vm);
      }
      for (const [id, bytes] of disks) {
        expect((await site.read(id, 'raw')).equals(bytes), id).toBe(true);
      }
    };

    const seen = await Injection.into(here.server.ready.pid, { call: calls });
    await detach(here, domain);
    const most = countMostCalls(seen.calls());
    await seen.end();
    await attach(there, domain);
    await requireHere(there);
    [here, there] = [there, here];

    // All calls, or a sample of them in the short catalogue.
    const each = Math.max(1, Math.ceil(most / chooseCount(most, 2)));
    for (let when = 1; when <= most; when += each) {
      const from = here;
      if (await killedAt(from, when, () => detach(from, domain))) {
        kills.detached += 1;
        requireWhole(domain);
        // The other site need not wait if the domain is already free.
        const isFree = !existsSync(join(shared, domain, 'attached.json'));
        if (isFree) await attach(there, domain);
        await from.kill();
        await from.begin();
        await detach(from, domain);
      }
      expect((await from.api.json('GET', `/vms/${vm}`)).status).toBe(404);
      const to = there;
      if (await killedAt(to, when, () => attach(to, domain))) {
        kills.attached += 1;
        await to.kill();
        await to.begin();
        // A domain that was claimed but not attached is free again.
        if ((await readStatus(to, domain)) === undefined) {
          expect(existsSync(join(shared, domain, 'attached.json'))).toBe(false);
        }
        await attach(to, domain);
      }
      await requireHere(to);
      expect(existsSync(join(shared, domain, 'contents.json'))).toBe(false);
      [here, there] = [there, here];
    }
    expect(kills.detached).toBeGreaterThan(0);
    expect(kills.attached).toBeGreaterThan(0);
    recordResult(
      'B7',
      `${kills.detached} kills of the detaching site, ${kills.attached} of the attaching site: 0 bytes lost`,
    );
  }, 1_200_000);
});
