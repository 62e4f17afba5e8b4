/** Screens of real VMs by VNC, with tickets. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSkipReason, GuestSite, guestTimeout as timeout } from '../support/guest-site.ts';
import { type Viewed, type ViewerOptions, view } from '../support/viewer.ts';

const obstacle = findSkipReason();
const note = obstacle === undefined ? '' : ` (skipped: ${obstacle})`;
const size = { width: expect.any(Number), height: expect.any(Number) };

let site: GuestSite;
let ca: string;
/** Address of the screen. */
let display: { address: string; port: number };
let graphicsConsole: string;

function look(options: ViewerOptions): Promise<Viewed> {
  return view(display.address, display.port, options);
}

async function readDisplay(): Promise<{ address: string; port: number }> {
  const found = await site.api.json('GET', `/vms/${site.vm}`);
  return found.json<{ display: { address: string; port: number } }>().display;
}

async function requestTicket(ticket: object = {}): Promise<string> {
  const answer = await site.api.json('POST', `/vms/${site.vm}/ticket`, { ticket });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<{ ticket: { value: string } }>().ticket.value;
}

describe.skipIf(obstacle !== undefined)(`the screen of a VM of QEMU${note}`, () => {
  beforeAll(async () => {
    site = await GuestSite.createBare();
    ca = readFileSync(join(site.data, 'ca.pem'), 'utf8');
    await site.start();
    display = await readDisplay();
    const consoles = await site.api.json('GET', `/vms/${site.vm}/graphicsconsoles`);
    graphicsConsole =
      consoles.json<{ graphics_console: { id: string }[] }>().graphics_console[0]?.id ?? '';
  }, timeout);
  afterAll(() => site.remove(), timeout);

  it('has an address while the VM runs', async () => {
    expect(display).toMatchObject({ address: '127.0.0.1', port: expect.any(Number) });
    const path = `/vms/${site.vm}/graphicsconsoles/${graphicsConsole}?current=true`;
    expect((await site.api.json('GET', path)).json()).toMatchObject({
      ...{ protocol: 'vnc', address: display.address, port: display.port },
    });
  });

  it('accepts the ticket, with and without TLS, and no other password', async () => {
    expect(await look({ password: '' })).toEqual({ types: [2, 19] });
    const password = await requestTicket();
    expect(password).toHaveLength(8);
    expect(await look({ password })).toMatchObject({ size });
    expect(await look({ password, ca })).toMatchObject({ size });
    expect(await look({ password: 'wrong' })).toEqual({ types: [2, 19] });
    expect(await look({ password: 'wrong', ca })).toEqual({ types: [2, 19] });
    const next = await requestTicket({ value: 'another1' });
    expect(await look({ password })).toEqual({ types: [2, 19] });
    expect(await look({ password: next })).toMatchObject({ size });
  });

  it(
    'refuses an expired ticket',
    async () => {
      const password = await requestTicket({ expiry: 1 });
      while ((await look({ password })).size) await new Promise((go) => setTimeout(go, 100));
      expect(await look({ password })).toEqual({ types: [2, 19] });
    },
    timeout,
  );

  it('refuses tickets that viewers would cut off', async () => {
    const ticket = { value: '123456789' };
    const answer = await site.api.json('POST', `/vms/${site.vm}/ticket`, { ticket });
    expect(answer.status).toBe(409);
    expect(answer.text).toContain('more than 8 characters');
  });

  it('accepts the password of a connection file, also after a restart of the server', async () => {
    const path = `/vms/${site.vm}/graphicsconsoles/${graphicsConsole}/remoteviewerconnectionfile`;
    const file = await site.api.json('POST', path, {});
    const text = file.json<{ remote_viewer_connection_file: string }>();
    const lines = text.remote_viewer_connection_file.split('\n');
    expect(lines).toContain(`port=${display.port}`);
    const password = /^password=(.*)$/m.exec(text.remote_viewer_connection_file)?.[1] ?? '';
    expect(await look({ password, ca })).toMatchObject({ size });
    await site.server.stop();
    await site.startServer();
    expect(await readDisplay()).toEqual(display);
    expect(await look({ password, ca })).toMatchObject({ size });
  });

  it('ends with the run', async () => {
    await site.stop();
    expect(await readDisplay()).not.toHaveProperty('port');
    await expect(look({ password: '' })).rejects.toThrow(/ECONNREFUSED/);
    const answer = await site.api.json('POST', `/vms/${site.vm}/ticket`, {});
    expect(answer.status).toBe(409);
  });
});
