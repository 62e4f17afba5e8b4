/** Data for viewers: connection files, tickets and screenshots of running VMs. */
import { createVerify, X509Certificate } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { RawApi } from '../support/raw.ts';
import { type People, useSite } from './support/site.ts';
import { at } from './support/speaker.ts';
import { newVm, settled } from './support/vms.ts';

const site = useSite();
const spiceId = Buffer.from('spice').toString('hex');
const vncId = Buffer.from('vnc').toString('hex');

/** A machine that runs, with a SPICE console or another. */
async function running(people: People, type: 'spice' | 'vnc' = 'spice') {
  const vm = await newVm(people, {
    display: { type },
    os: { boot: { devices: { device: ['cdrom'] } } },
  });
  await people.admin.must(`/vms/${vm.id}/start`);
  await settled(people, vm.id);
  return { ...vm, path: `/vms/${vm.id}` };
}

/** Response to a client other than the speaker: bytes and headers. */
async function raw(method: string, path: string, accept: string) {
  const api = await RawApi.signIn(site.server());
  return api.call(method, path, {
    headers: { Accept: accept, 'Content-Type': 'application/xml' },
    ...(method === 'POST' ? { body: '<action/>' } : {}),
  });
}

/** Groups of an ini file, as virt-viewer reads them. */
function readIni(text: string): Map<string, Map<string, string>> {
  const groups = new Map<string, Map<string, string>>();
  let group = new Map<string, string>();
  for (const line of text.split('\n')) {
    const head = /^\[(.+)\]$/.exec(line)?.[1];
    if (head) {
      group = new Map();
      groups.set(head, group);
    } else if (line !== '' && !line.startsWith('#')) {
      const equals = line.indexOf('=');
      expect(equals, line).toBeGreaterThan(0);
      group.set(line.slice(0, equals), line.slice(equals + 1));
    }
  }
  return groups;
}

const virtViewer = 'application/x-virt-viewer';

describe('a console', () => {
  site.both('is a connection file for who accepts what virt-viewer reads', async (people) => {
    const vm = await running(people);
    const here = `${vm.path}/graphicsconsoles/${spiceId}`;
    const answer = await raw('GET', here, virtViewer);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toBe(virtViewer);
    const viewer = readIni(answer.text).get('virt-viewer');
    const { object } = await people.admin.get(vm.path);
    expect(viewer?.get('type')).toBe('spice');
    expect(viewer?.get('host')).toBe(at(object, 'display.address'));
    expect(viewer?.get('port')).toBe(at(object, 'display.port'));
    expect(viewer?.get('tls-port')).toBe(at(object, 'display.secure_port'));
    expect(viewer?.get('host-subject')).toBe(at(object, 'display.certificate.subject'));
    const ca = new X509Certificate(viewer?.get('ca')?.replaceAll('\\n', '\n') ?? '');
    expect(ca.raw).toEqual(new X509Certificate(site.server().ca).raw);
    expect(readIni(answer.text).get('ovirt')?.get('vm-guid')).toBe(vm.id);
    // With a document asked for as well, the better liked one counts.
    const both = await raw('GET', here, `${virtViewer};q=0.5, application/json`);
    expect(both.headers['content-type']).toContain('application/json');
  });
  site.both(
    'has the ticket that was set in its connection file, while it holds',
    async (people) => {
      const { admin } = people;
      const vm = await running(people, 'vnc');
      const here = `${vm.path}/graphicsconsoles/${vncId}`;
      const password = async () => readIni((await raw('GET', here, virtViewer)).text);
      const first = (await password()).get('virt-viewer')?.get('password');
      expect(first).toBeTruthy();
      expect((await password()).get('virt-viewer')?.get('password')).toBe(first);
      const ticket = (await admin.must(`${here}/ticket`, { ticket: { value: 'abc', expiry: 60 } }))
        .object;
      expect(at(ticket, 'ticket')).toEqual({ value: 'abc', expiry: '60' });
      expect((await password()).get('virt-viewer')?.get('password')).toBe('abc');
      expect((await raw('GET', here, virtViewer)).text).toMatch(/valid for (?:59|60) seconds/);
      const text = (await admin.must(`${here}/remoteviewerconnectionfile`)).object;
      expect(text['remote_viewer_connection_file']).toContain('password=abc\n');
      // An expired ticket opens no console; another ticket replaced it.
      await admin.must(`${vm.path}/ticket`, { ticket: { value: 'old', expiry: 0 } });
      const later = (await password()).get('virt-viewer')?.get('password');
      expect([undefined, 'old', 'abc']).not.toContain(later);
    },
  );
  site.both('has no connection file while its machine is down', async (people) => {
    const vm = await newVm(people);
    const answer = await raw('GET', `/vms/${vm.id}/graphicsconsoles/${vncId}`, virtViewer);
    expect(answer.status, answer.text).toBe(409);
    expect(answer.text).toContain('<fault>');
    const unknown = await raw('GET', `/vms/${vm.id}/graphicsconsoles/00`, virtViewer);
    expect(unknown.status).toBe(404);
  });
  site.both('is no connection file for other media types', async (people) => {
    const vm = await running(people);
    expect((await raw('GET', vm.path, virtViewer)).status).toBe(406);
    expect((await raw('GET', `${vm.path}/graphicsconsoles`, virtViewer)).status).toBe(406);
    expect((await raw('POST', `${vm.path}/reset`, virtViewer)).status).toBe(406);
    const here = `${vm.path}/graphicsconsoles/${spiceId}`;
    expect((await raw('GET', here, '*/*')).headers['content-type']).toContain('application/xml');
    const other = await people.jane.send('GET', here, undefined, {
      Accept: `${virtViewer}, application/${people.format.toLowerCase()};q=0.1`,
    });
    expect(other.status).toBe(404);
  });
  site.both('has a proxy ticket that the key of the service has signed', async (people) => {
    const { admin } = people;
    const vm = await running(people);
    const here = `${vm.path}/graphicsconsoles/${spiceId}`;
    const { object } = await admin.must(`${here}/proxyticket`);
    const value = String(at(object, 'proxy_ticket.value'));
    const ticket = JSON.parse(Buffer.from(value, 'base64').toString()) as Record<string, string>;
    const verify = createVerify('sha256');
    for (const name of ticket['signedFields']?.split(',') ?? []) verify.update(ticket[name] ?? '');
    const certificate = new X509Certificate(ticket['certificate'] ?? '');
    expect(certificate.verify(new X509Certificate(site.server().ca).publicKey)).toBe(true);
    expect(verify.verify(certificate.publicKey, ticket['v2_signature'] ?? '', 'base64')).toBe(true);
    const display = (await admin.get(vm.path)).object['display'];
    expect(JSON.parse(decodeURIComponent(ticket['data'] ?? ''))).toEqual({
      host: at(display, 'address'),
      port: at(display, 'secure_port'),
      ssl_target: true,
    });
    expect(Number(ticket['validTo'])).toBeGreaterThan(Number(ticket['validFrom']));
  });
});

describe('the display of a machine', () => {
  site.both('tells port and certificate for TLS while it runs with SPICE', async (people) => {
    const { admin } = people;
    const vm = await running(people);
    const { object } = await admin.get(vm.path);
    expect(Number(at(object, 'display.secure_port'))).toBeGreaterThan(0);
    expect(at(object, 'display.certificate')).toMatchObject({
      organization: expect.any(String),
      subject: expect.stringMatching(/^O=.+,CN=.+/),
      content: expect.stringContaining('BEGIN CERTIFICATE'),
    });
    await admin.must(`${vm.path}/stop`);
    const { object: off } = await admin.get(vm.path);
    expect(at(off, 'display.secure_port')).toBeUndefined();
    expect(at(off, 'display.certificate')).toBeUndefined();
    const plain = await running(people, 'vnc');
    expect(at((await admin.get(plain.path)).object, 'display.secure_port')).toBeUndefined();
  });
});

/** Width, height and points of a picture, three bytes each. */
function readPng(bytes: Buffer) {
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data = bytes.indexOf('IDAT');
  const points = inflateSync(bytes.subarray(data + 4, data + 4 + bytes.readUInt32BE(data - 4)));
  expect(points).toHaveLength(height * (1 + 3 * width));
  return { width, height, points };
}

describe('a screenshot', () => {
  site.both('is a picture, which shows that the guest is frozen', async (people) => {
    const { admin } = people;
    const vm = await running(people);
    const take = async (accept: string) => {
      const answer = await raw('POST', `${vm.path}/screenshot`, accept);
      expect(answer.status, answer.text).toBe(200);
      expect(answer.headers['content-type']).toBe('image/png');
      return readPng(answer.bytes);
    };
    const before = await take('*/*');
    expect([before.width, before.height]).toEqual([640, 480]);
    expect(new Set(before.points).size).toBeGreaterThan(2);
    await admin.must(`${vm.path}/freezefilesystems`);
    const frozen = await take('image/*');
    // The fourth line of text contains the status.
    const fourth = (points: Buffer) => points.subarray(114 * 1921, 130 * 1921);
    expect(fourth(frozen.points).equals(fourth(before.points))).toBe(false);
    // A client that accepts only documents gets a document.
    expect((await admin.must(`${vm.path}/screenshot`)).object['status']).toBe('complete');
    await admin.must(`${vm.path}/stop`);
    expect((await admin.post(`${vm.path}/screenshot`)).status).toBe(409);
  });
  site.both('is refused without a visible console', async (people) => {
    const vm = await running(people);
    const { list } = await people.admin.get(`${vm.path}/graphicsconsoles`);
    for (const { id } of list) await people.admin.delete(`${vm.path}/graphicsconsoles/${id}`);
    const answer = await people.admin.post(`${vm.path}/screenshot`);
    expect(answer.status).toBe(409);
    expect(answer.fault?.detail).toContain('no graphics console');
  });
});

describe('the file systems of a guest', () => {
  site.both('freeze once, thaw once, and are thawed after a reboot', async (people) => {
    const { admin } = people;
    const { path } = await running(people);
    const status = async (action: string) => (await admin.post(`${path}/${action}`)).status;
    expect(await status('thawfilesystems')).toBe(409);
    expect(await status('freezefilesystems')).toBe(200);
    expect(await status('freezefilesystems')).toBe(409);
    expect(await status('thawfilesystems')).toBe(200);
    expect(await status('freezefilesystems')).toBe(200);
    await admin.must(`${path}/reboot`);
    expect(await status('thawfilesystems')).toBe(409);
  });
});
