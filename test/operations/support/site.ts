/**
 * A server with a small site for the tests of operations, and the people who use it. Each test runs
 * in XML and in JSON; the refusals that every operation has are declared in a line each.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFirstIds } from '../../support/firsts.ts';
import { RawApi, requestToken } from '../../support/raw.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Format, Speaker, type Thing } from './speaker.ts';
import { Traces } from './traces.ts';

export interface People {
  /** May do everything. */
  readonly admin: Speaker;
  /** UserVmManager of vm-01, and nothing else. */
  readonly jane: Speaker;
  /** ClusterAdmin of the cluster. */
  readonly olaf: Speaker;
  readonly format: Format;
  /** Puts the ids of the inventory in place of `{vm}`, `{host}` and so on. */
  readonly path: (template: string) => string;
  /** A name that no other test and no other format uses: `web-3`. */
  readonly name: (stem: string) => string;
}

export interface Site {
  readonly server: () => TestServer;
  /** Runs a test twice: in XML and in JSON. */
  readonly both: (title: string, test: (people: People) => Promise<void>) => void;
  /** The operation answers 404 with a fault for an id that is not there. */
  readonly unknown: (method: string, template: string, body?: Thing) => void;
  /** A user without the permit is refused with 403; nothing happens. */
  readonly forbidden: (method: string, template: string, body?: Thing) => void;
  /** 400 "Incomplete parameters" that names what is missing. */
  readonly incomplete: (method: string, template: string, body: Thing, missing: string) => void;
}

const nobody = '11111111-2222-3333-4444-555555555555';
const formats: readonly Format[] = ['XML', 'JSON'];

/** Starts a server before the tests of the file, and stops it after them. */
export function useSite(options: readonly string[] = []): Site {
  let server: TestServer;
  let apis: Record<'admin' | 'jane' | 'olaf', RawApi>;
  let ids: Record<string, string> = {};
  let count = 0;
  const traces = new Traces();

  beforeAll(async () => {
    server = await startTestServer(['--speed', '0', '--inventory', 'small', ...options]);
    const signIn = async (username: string) => {
      const other = { ...server, ready: { ...server.ready, username } };
      const answer = await requestToken(other);
      return new RawApi(server, String(answer.json()['access_token']));
    };
    const admin = await RawApi.signIn(server);
    apis = { admin, jane: await signIn('jane@internal'), olaf: await signIn('olaf@internal') };
    ids = await readFirstIds(admin);
  });
  afterAll(async () => {
    try {
      await traces.check(apis.admin);
    } finally {
      await server.stop();
    }
  });

  const path = (template: string) =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] || nobody);
  const people = (format: Format): People => ({
    admin: new Speaker(apis.admin, format, traces),
    jane: new Speaker(apis.jane, format, traces),
    olaf: new Speaker(apis.olaf, format, traces),
    format,
    path,
    name: (stem) => {
      count += 1;
      return `${stem}-${count}`;
    },
  });
  const filled = (body: Thing | undefined): Thing | undefined =>
    body && (JSON.parse(path(JSON.stringify(body))) as Thing);
  const both: Site['both'] = (title, test) => {
    it.each(formats)(`${title} (%s)`, (format) => test(people(format)));
  };

  return {
    server: () => server,
    both,
    unknown(method, template, body) {
      both('reports a missing object', async ({ admin }) => {
        const answer = await admin.send(method, path(template), filled(body));
        expect(answer.status, answer.text).toBe(404);
        expect(answer.fault?.reason, answer.text).toBeTruthy();
      });
    },
    forbidden(method, template, body) {
      both('refuses users without permission', async ({ jane }) => {
        const answer = await jane.send(method, path(template), filled(body));
        expect(answer.status, answer.text).toBe(403);
        expect(answer.fault?.detail, answer.text).toBeTruthy();
      });
    },
    incomplete(method, template, body, missing) {
      both(`needs ${missing}`, async ({ admin }) => {
        const answer = await admin.send(method, path(template), filled(body));
        expect(answer.status, answer.text).toBe(400);
        expect(answer.fault).toMatchObject({
          reason: 'Incomplete parameters',
          detail: expect.stringContaining(missing),
        });
      });
    },
  };
}
