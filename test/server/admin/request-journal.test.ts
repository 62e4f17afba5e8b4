/** The request journal: bounded, and without secrets in its output. */
import { describe, expect, it } from 'vitest';
import {
  capture,
  createCapturedBody,
  limitBody,
  maxBody,
  maxRequests,
  RequestJournal,
} from '../../../src/server/admin/request-journal.ts';

const json = { 'content-type': 'application/json' };

function add(
  journal: RequestJournal,
  target = '/virt-app/api/vms',
  sent = '',
  answered = '',
): void {
  const entry = journal.begin(0, 'POST', target, json);
  if (sent !== '') entry.requestBody = limitBody(sent);
  entry.status = 200;
  entry.responseHeaders = json;
  if (answered !== '') {
    const pieces = createCapturedBody();
    for (const piece of answered.match(/[\s\S]{1,1000}/g) ?? []) capture(pieces, piece);
    entry.responseBody = pieces;
  }
  journal.complete(entry);
}

const open = { isClosed: false, onClose: () => () => {} };
const closed = (listener: () => void) => {
  queueMicrotask(listener);
  return () => {};
};

describe('the journal of requests', () => {
  it('retains the newest requests', () => {
    const journal = new RequestJournal();
    for (let count = 0; count < maxRequests + 5; count += 1) add(journal);
    const all = journal.requests({});
    expect(all).toHaveLength(maxRequests);
    expect([all[0]?.sequence, all.at(-1)?.sequence]).toEqual([6, maxRequests + 5]);
    expect(
      journal.requests({ since: maxRequests, limit: 3 }).map(({ sequence }) => sequence),
    ).toEqual([3, 4, 5].map((more) => maxRequests + more));
  });

  it('retains bodies up to a length, complete or in pieces', () => {
    const journal = new RequestJournal();
    const text = JSON.stringify({ name: 'x'.repeat(maxBody - 11) });
    add(journal, '/a', text, `${text} `);
    const [shown] = journal.requests({});
    expect(shown?.request.body).toEqual({ text });
    expect(shown?.response.body).toMatchObject({ bytes: maxBody + 1 });
  });

  it('drops the oldest bodies above the memory limit', () => {
    const journal = new RequestJournal();
    const text = JSON.stringify({ name: 'x'.repeat(maxBody - 11) });
    for (let count = 0; count < 600; count += 1) add(journal, '/a', text);
    const all = journal.requests({});
    expect(all[0]?.request.body).toHaveProperty('omitted');
    expect(all.at(-1)?.request.body).toEqual({ text });
    expect(all.filter(({ request }) => request.body && 'text' in request.body)).toHaveLength(512);
  });

  it('masks a secret of one request in all others', () => {
    const journal = new RequestJournal();
    add(journal, '/a', '{"password":"sw0rdfish"}');
    add(journal, '/virt-app/api/vms?search=sw0rdfish', '{"comment":"it is sw0rdfish"}');
    expect(JSON.stringify(journal.requests({}))).not.toContain('sw0rdfish');
  });

  it('does not hide a slow request from a client that follows', () => {
    const journal = new RequestJournal();
    const slow = journal.begin(0, 'GET', '/slow', {});
    add(journal, '/fast');
    const { last } = journal;
    journal.complete(slow);
    expect(journal.requests({ since: last }).map(({ path }) => path)).toEqual(['/slow']);
  });

  it('wakes clients that wait for the next request', async () => {
    const journal = new RequestJournal();
    add(journal);
    await journal.wait(0, 60_000, open);
    const waiting = journal.wait(1, 60_000, open);
    add(journal);
    await waiting;
    await journal.wait(2, 1, open);
    // The wait also ends when the client disconnects.
    await journal.wait(2, 60_000, { isClosed: true, onClose: closed });
    expect(journal.last).toBe(2);
  });
});
