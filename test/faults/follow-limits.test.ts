/** Circular links in `follow`: the size of a response is limited, and larger ones are refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../src/testkit/testkit.ts';
import type { TestServer } from '../../src/testkit/types.ts';
import { type RawAnswer, send } from '../support/raw.ts';
import { recordResult } from './support/catalogue.ts';

let server: TestServer;

beforeAll(async () => {
  // A domain with 2,000 disks: one VM leads to all of them, and each of them to all again.
  server = await startServer({ password: 'pw', inventory: 'hosts=10,vms=2000,disks=2000' });
});
afterAll(() => server.stop());

function get(path: string): Promise<RawAnswer> {
  const authorization = `Basic ${Buffer.from('admin@internal:pw').toString('base64')}`;
  const headers = { Authorization: authorization, Accept: 'application/json' };
  return send(`${server.apiUrl}${path}`, { ca: server.ca, headers });
}

const paths = (count: number) => Array.from({ length: count }, (_, at) => `nics.x${at}`).join(',');
const deep = (depth: number, ...words: string[]) =>
  Array.from({ length: depth }, (_, at) => words[at % words.length]).join('.');

describe('follow', () => {
  it.each([
    ['50 paths', `/vms?follow=${paths(50)}`],
    ['a path of 20 links', `/clusters?follow=${deep(20, 'datacenter', 'clusters')}`],
    ['1,000 links', `/clusters?follow=${deep(1_000, 'datacenter', 'clusters')}`],
    ['from every disk to all disks', '/disks?follow=storagedomains.disks'],
    ['from a page of them to all', '/disks?max=100&follow=storagedomains.disks'],
    ['from VMs to all disks', '/vms?follow=diskattachments.disk.storagedomains.disks'],
    ['in a circle', `/storagedomains?follow=${deep(6, 'disks', 'storagedomains')}`],
  ])('E10 follow is bounded: %s', async (_name, path) => {
    const { status, text } = await get(path);
    expect(status, text.slice(0, 300)).toBe(400);
    expect(text, path.slice(0, 100)).toMatch(/at most \d+ are allowed/);
    expect(text.length).toBeLessThan(2_000);
  });

  it('E10 follow is bounded: refuses a word that is not a link', async () => {
    for (const word of ['__proto__', 'constructor', 'x'.repeat(10_000), '.', '..', '*']) {
      const { status, text } = await get(`/vms?follow=${word}`);
      expect(status, text.slice(0, 300)).toBe(400);
      expect(text.length).toBeLessThan(1_000);
    }
  });

  it.each([
    ['all disks of a domain', '/storagedomains?follow=disks', 2_000],
    ['subcollections of all VMs', '/vms?follow=nics,diskattachments,graphicsconsoles', 2_000],
    ['the cluster of every VM', '/vms?follow=cluster.datacenter', 2_000],
  ])('E10 follow is bounded: accepts up to the limit: %s', async (_name, path, least) => {
    const { status, text } = await get(path);
    expect(status, text.slice(0, 300)).toBe(200);
    expect(text.split('"href"').length).toBeGreaterThan(least);
    recordResult('E10', '7 excessive requests refused with 400; 2,000 VMs returned with all parts');
  });
});
