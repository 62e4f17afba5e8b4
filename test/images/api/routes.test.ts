// Routes and methods, refusals, and their form.
import { describe, expect, it } from 'vitest';
import { keepAliveAgent, pattern } from '../support/harness.ts';
import { onEachBackend } from '../support/on-backends.ts';

const ALL_FEATURES = ['checksum', 'extents', 'flush', 'zero'];

onEachBackend((startHarness) => {
  describe('OPTIONS', () => {
    it('on /images/* returns the features of the daemon', async () => {
      const { ask } = await startHarness();
      const answer = await ask('OPTIONS', '/images/*');
      expect(answer.status).toBe(200);
      expect(answer.headers.allow).toBe('OPTIONS,GET,PUT,PATCH');
      expect(answer.headers['content-type']).toBe('application/json');
      expect(JSON.parse(answer.text)).toEqual({ features: ALL_FEATURES });
    });

    it.each([
      [['read'], 'OPTIONS,GET', ['checksum', 'extents']],
      [['write'], 'OPTIONS,GET,PUT,PATCH', ALL_FEATURES],
      [['read', 'write'], 'OPTIONS,GET,PUT,PATCH', ALL_FEATURES],
    ] as const)(
      'on a ticket for %j returns the permitted features',
      async (ops, allow, features) => {
        const { ask, image } = await startHarness();
        await image({ content: pattern(10), ops: [...ops] });
        const answer = await ask('OPTIONS', '/images/image');
        expect(answer.status).toBe(200);
        expect(answer.headers.allow).toBe(allow);
        expect(JSON.parse(answer.text)).toEqual({ features, max_readers: 8, max_writers: 8 });
      },
    );

    it('returns the unix socket if the daemon has one', async () => {
      const { ask, daemon, image } = await startHarness({ unixSocket: `/tmp/i-${process.pid}-o` });
      await image({ content: pattern(10) });
      for (const path of ['/images/*', '/images/image']) {
        expect(JSON.parse((await ask('OPTIONS', path)).text).unix_socket).toBe(daemon.unixSocket);
      }
    });

    it('counts as a use of the ticket, and answers preflight requests of browsers', async () => {
      const { ask, clock, daemon, image } = await startHarness();
      await image({ content: pattern(10), timeout: 10 });
      clock.advance(9);
      const answer = await ask('OPTIONS', '/images/image', {
        headers: { Origin: 'https://ui.example', 'Access-Control-Request-Method': 'PATCH' },
      });
      expect(answer.headers['access-control-allow-methods']).toBe('OPTIONS,GET,PUT,PATCH');
      clock.advance(9);
      expect(await daemon.state('image')).toMatchObject({ idle: 9, expired: false });
    });
  });

  describe('addresses', () => {
    it.each([
      ['GET', '/', 404],
      ['GET', '/images', 404],
      ['GET', '/images/', 400],
      ['OPTIONS', '/images/', 400],
      ['GET', '/images//extents', 400],
      ['GET', '/images/%zz', 400],
      ['GET', '/images/image/', 404],
      ['GET', '/images/image/other', 404],
      ['GET', '/images/image/extents/', 404],
      ['GET', '/images/image/checksum/algorithms/x', 404],
      ['GET', '/info', 404],
      ['GET', '/info/x', 404],
      ['GET', '/IMAGES/image', 404],
      ['OPTIONS', '*', 404],
      ['GET', 'http://localhost/images/image', 404],
    ])('%s %s is %i', async (method, path, status) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      const answer = await ask(method, path);
      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toBe('text/plain; charset=UTF-8');
      expect(answer.text).toMatch(/^[A-Z][^\n]*\.\n$/);
    });

    it('are percent-decoded', async () => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10), id: 'a b' });
      expect((await ask('GET', '/images/a%20b')).status).toBe(200);
    });

    it('include the version at /info/', async () => {
      const { ask } = await startHarness({ version: '2.5.0' });
      const answer = await ask('GET', '/info/');
      expect(JSON.parse(answer.text)).toEqual({ version: '2.5.0' });
    });

    it('include the algorithms at any ticket, also an unknown one', async () => {
      const { ask } = await startHarness();
      const answer = await ask('GET', '/images/none/checksum/algorithms');
      expect(JSON.parse(answer.text)).toContain('blake2b');
    });

    it('return the algorithms in an object on request of the owner', async () => {
      const { ask } = await startHarness({ wrapsAlgorithms: true });
      const answer = await ask('GET', '/images/none/checksum/algorithms');
      expect(JSON.parse(answer.text)).toEqual({ algorithms: expect.arrayContaining(['blake2b']) });
    });
  });

  describe('methods', () => {
    it.each([
      ['POST', '/images/image', 'OPTIONS,GET,PUT,PATCH'],
      ['DELETE', '/images/image', 'OPTIONS,GET,PUT,PATCH'],
      ['HEAD', '/images/image', 'OPTIONS,GET,PUT,PATCH'],
      ['HEAD', '/info/', 'GET'],
      ['OPTIONS', '/info/', 'GET'],
      ['OPTIONS', '/images/image/extents', 'GET'],
      ['PUT', '/images/image/checksum', 'GET'],
      ['POST', '/images/image/checksum/algorithms', 'GET'],
    ])('%s on %s is 405 with the allowed methods', async (method, path, allow) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      const answer = await ask(method, path);
      expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
      expect(answer.body.length > 0).toBe(method !== 'HEAD');
    });
  });

  describe('a ticket that does not permit the operation', () => {
    const REQUESTS = [
      ['OPTIONS', ''],
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', ''],
      ['GET', '/extents'],
      ['GET', '/checksum'],
    ] as const;

    it('returns the same response for every reason, and closes the connection', async () => {
      const { ask, clock, daemon, image } = await startHarness();
      await image({ content: pattern(10), id: 'expired', timeout: 1 });
      await image({ content: pattern(10), id: 'removed' });
      clock.advance(1);
      await image({ content: pattern(10), id: 'readable', ops: ['read'] });
      await daemon.remove('removed');
      const answers = new Set<string>();
      for (const [method, part] of REQUESTS) {
        for (const id of ['absent', 'expired', 'removed', '*', 'readable']) {
          if (id === 'readable' && method !== 'PUT' && method !== 'PATCH') continue;
          if (id === '*' && method === 'OPTIONS') continue;
          const answer = await ask(method, `/images/${id}${part}`, { agent: keepAliveAgent() });
          expect(answer.status).toBe(403);
          const { date: _date, ...headers } = answer.headers;
          answers.add(JSON.stringify([headers, answer.text]));
        }
      }
      expect(answers.size).toBe(1);
      expect([...answers][0]).toContain('"connection":"close"');
    });

    it('is refused before its body is validated', async () => {
      const { ask } = await startHarness();
      const answer = await ask('PATCH', '/images/absent', { body: 'no json' });
      expect(answer.status).toBe(403);
    });

    it('is refused on a connection with successful requests', async () => {
      const { ask, daemon, image } = await startHarness();
      await image({ content: pattern(10) });
      const agent = keepAliveAgent();
      expect((await ask('GET', '/images/image', { agent })).status).toBe(200);
      await daemon.remove('image');
      expect((await ask('GET', '/images/image', { agent })).status).toBe(403);
    });
  });

  describe('CORS', () => {
    it.each([
      ['OPTIONS', '/images/image', 200],
      ['GET', '/images/image', 200],
      ['PUT', '/images/image', 200],
      ['PATCH', '/images/image', 400],
      ['GET', '/images/image/extents', 200],
      ['GET', '/info/', 200],
      ['GET', '/images/absent', 403],
    ])('headers are present on %s %s (%i) only with an origin', async (method, path, status) => {
      const { ask, image } = await startHarness();
      await image({ content: pattern(10) });
      const plain = await ask(method, path, { body: '' });
      const crossing = await ask(method, path, {
        body: '',
        headers: { Origin: 'https://ui.example' },
      });
      expect([plain.status, crossing.status]).toEqual([status, status]);
      expect(plain.headers['access-control-allow-origin']).toBeUndefined();
      expect(crossing.headers['access-control-allow-origin']).toBe('*');
      expect(crossing.headers['access-control-allow-methods']).toBe('OPTIONS,GET,PUT,PATCH');
    });
  });
});
