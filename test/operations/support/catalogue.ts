/** Catalogues for administrators: the event of each operation, and the fault of each refusal. */
import { expect } from 'vitest';
import type { People, Site } from './site.ts';
import type { Answer, Speaker } from './speaker.ts';

/** Code, severity and sentence of an event. */
export type Expected = readonly [code: number, severity: string, text: string];

/** How events are provoked: does it, and returns the events that this must have written, in order. */
export type Scene = readonly [
  deed: string,
  provoke: (people: People) => Promise<readonly Expected[]>,
];

/** Status, reason and sentence of a fault. */
export type Refused = readonly [status: number, reason: string, detail: string];

/** Reason of a refusal: the sentence is in square brackets. */
export const refused = (status: number, sentence: string): Refused => [
  status,
  'Operation Failed',
  `[${sentence}]`,
];

/** A response with its expected text. */
export async function says(answer: Promise<Answer>, expected: Refused) {
  return { answer: await answer, says: expected };
}

/** Provocation of a fault: the refusing response, and its expected text. */
export type Refusing = readonly [
  deed: string,
  provoke: (people: People) => Promise<{ readonly answer: Answer; readonly says: Refused }>,
];

/** The administrator as events call him. */
export const who = 'admin@internal';

/** A test for each scene, in XML and in JSON. */
export function testEvents(site: Site, scenes: readonly Scene[]): void {
  for (const [deed, provoke] of scenes) {
    site.both(deed, async (people) => {
      const before = await newestId(people.admin);
      const expected = await provoke(people);
      const written = await eventsSince(people.admin, before);
      const seen = written.map((one) => one.join(' '));
      const missing = expected.map((one) => one.join(' ')).filter((one) => !seen.includes(one));
      expect(missing, seen.join('\n')).toEqual([]);
      const places = expected.map(([code, , text]) =>
        written.findIndex((one) => one[0] === code && one[2] === text),
      );
      expect(places, seen.join('\n')).toEqual([...places].sort((a, b) => a - b));
    });
  }
}

/** A test for each refusal, in XML and in JSON. */
export function testFaults(site: Site, scenes: readonly Refusing[]): void {
  for (const [deed, provoke] of scenes) {
    site.both(deed, async (people) => {
      const { answer, says } = await provoke(people);
      expect([answer.status, answer.fault?.reason, answer.fault?.detail], answer.text).toEqual(
        says,
      );
    });
  }
}

async function newestId(admin: Speaker): Promise<number> {
  return Number((await admin.get('/events?max=1')).list[0]?.['id'] ?? 0);
}

/** Events later than this one, the oldest first. */
async function eventsSince(admin: Speaker, id: number): Promise<Expected[]> {
  const { list } = await admin.get(`/events;from=${id}`);
  return list
    .filter((one) => Number(one['id']) > id)
    .sort((a, b) => Number(a['id']) - Number(b['id']))
    .map(
      (one): Expected => [Number(one['code']), String(one['severity']), String(one['description'])],
    );
}
