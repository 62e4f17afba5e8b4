// Control API of tickets on its unix socket. "(defect)" marks an intended difference from a known
// product, with the defect of the product.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { DaemonDependencies } from '../../../src/images/daemon.ts';
import { countingBackend } from '../support/backends.ts';
import { keepAliveAgent, pattern, startHarness } from '../support/harness.ts';

type Fields = Record<string, unknown>;

/** Daemon with a control socket and an image of 1000 bytes, and functions for requests. */
async function setUp(parts: Partial<DaemonDependencies> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'images-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const controlSocket = join(directory, 'control');
  const file = join(directory, 'image');
  await writeFile(file, pattern(1000));
  const harness = await startHarness({ controlSocket }, parts);
  const control = (method: string, path: string, body?: unknown) =>
    new Promise<{ status: number; text: string; headers: Record<string, unknown> }>(
      (resolve, reject) => {
        const text =
          typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
        request({ socketPath: controlSocket, method, path, agent: false }, (answer) => {
          let received = '';
          answer.setEncoding('utf8').on('data', (piece: string) => {
            received += piece;
          });
          answer.on('end', () =>
            resolve({ status: answer.statusCode ?? 0, text: received, headers: answer.headers }),
          );
        })
          .on('error', reject)
          .end(body === undefined ? undefined : text);
      },
    );
  const ticket = (changes: Fields = {}): Fields => ({
    uuid: 't',
    size: 1000,
    ops: ['read'],
    timeout: 300,
    url: `file://${file}`,
    ...changes,
  });
  const look = async () => JSON.parse((await control('GET', '/tickets/t')).text) as Fields;
  return { ...harness, control, controlSocket, file, look, ticket };
}

describe('the socket', () => {
  it('is restricted to its owner', async () => {
    const { controlSocket } = await setUp();
    expect((await stat(controlSocket)).mode & 0o777).toBe(0o600);
  });

  it('is removed with the daemon', async () => {
    const { controlSocket, daemon } = await setUp();
    await daemon.close();
    await expect(stat(controlSocket)).rejects.toThrow('ENOENT');
  });

  it('serves only tickets, and no images', async () => {
    const { ask, control, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket());
    for (const path of ['/', '/tickets', '/tickets/t/x', '/info/', '/images/t', '/profile/']) {
      expect((await control('GET', path)).status, path).toBe(404);
    }
    expect((await ask('GET', '/tickets/t')).status).toBe(404);
  });

  it.each([
    ['POST', '/tickets/t', 'PUT,GET,PATCH,DELETE'],
    ['OPTIONS', '/tickets/t', 'PUT,GET,PATCH,DELETE'],
    ['HEAD', '/tickets/t', 'PUT,GET,PATCH,DELETE'],
    ['GET', '/tickets/', 'DELETE'],
    ['PUT', '/tickets/', 'DELETE'],
  ])('%s on %s is 405 with the allowed methods', async (method, path, allow) => {
    const { control } = await setUp();
    const answer = await control(method, path);
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow]);
  });
});

describe('PUT', () => {
  it('creates a ticket, with defaults for missing members', async () => {
    const { ask, control, file, look, ticket } = await setUp();
    const answer = await control('PUT', '/tickets/t', ticket());
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect((await ask('GET', '/images/t')).body.equals(pattern(1000))).toBe(true);
    expect(await look()).toEqual({
      uuid: 't',
      transfer_id: 't',
      url: `file://${file}`,
      size: 1000,
      ops: ['read'],
      sparse: false,
      dirty: false,
      timeout: 300,
      inactivity_timeout: 60,
      expires: expect.any(Number),
      active: false,
      canceled: false,
      connections: expect.any(Number),
      idle_time: 0,
      transferred: 1000,
    });
  });

  it('accepts every member', async () => {
    const { control, look, ticket } = await setUp();
    const members = {
      ops: ['read', 'write'],
      transfer_id: 'transfer 7',
      filename: 'disk.raw',
      sparse: true,
      dirty: true,
      inactivity_timeout: 5,
      url: 'nbd:unix:/run/none:exportname=a b',
      // Ignored unknown member.
      colour: 'green',
    };
    expect((await control('PUT', '/tickets/t', ticket(members))).status).toBe(200);
    const { colour: _colour, ...known } = members;
    const found = await look();
    expect(found).toMatchObject(known);
    expect(found).not.toHaveProperty('colour');
    expect(found).not.toHaveProperty('transferred');
  });

  it.each<[string, unknown, RegExp]>([
    ['invalid JSON', '{', /JSON/],
    ['nothing', undefined, /JSON/],
    ['a list (defect: an internal error is reported)', [], /JSON object/],
    ['null', null, /JSON object/],
    ['no uuid', { uuid: undefined }, /uuid/],
    ['an empty uuid', { uuid: '' }, /uuid/],
    ['a uuid that differs from the address (defect: overrides it)', { uuid: 'u' }, /uuid/],
    ['a uuid that is a number', { uuid: 1 }, /uuid/],
    ['no size', { size: undefined }, /size/],
    ['a negative size (defect: accepted)', { size: -1 }, /size/],
    ['a size as text', { size: '1000' }, /size/],
    ['half a byte', { size: 1.5 }, /size/],
    ['a size of true', { size: true }, /size/],
    ['no ops', { ops: undefined }, /ops/],
    ['ops as text', { ops: 'read' }, /ops/],
    ['empty ops (defect: accepted)', { ops: [] }, /ops/],
    ['unknown ops (defect: accepted)', { ops: ['read', 'admin'] }, /ops/],
    ['no timeout', { timeout: undefined }, /timeout/],
    ['a negative timeout (defect: accepted)', { timeout: -1 }, /timeout/],
    ['a timeout as text', { timeout: '1' }, /timeout/],
    ['a negative inactivity_timeout', { inactivity_timeout: -1 }, /inactivity_timeout/],
    ['no url', { url: undefined }, /url/],
    ['a url of an unknown kind', { url: 'ftp://host/x' }, /url/],
    ['a url of another daemon', { url: 'https://host:54322/images/t' }, /url/],
    ['a relative path', { url: 'file:image' }, /url/],
    ['sparse as text', { sparse: 'yes' }, /sparse/],
    ['dirty as a number', { dirty: 1 }, /dirty/],
    ['an invalid filename', { filename: 7 }, /filename/],
    ['an invalid transfer_id', { transfer_id: {} }, /transfer_id/],
    ['members only in its prototype', { __proto__: { size: 1 }, size: undefined }, /size/],
  ])('with %s is 400 with the problem', async (_name, changes, words) => {
    const { control, ticket } = await setUp();
    const isPart = typeof changes === 'object' && changes !== null && !Array.isArray(changes);
    const body = isPart ? ticket(changes as Fields) : changes;
    const answer = await control('PUT', '/tickets/t', body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(words)]);
    expect((await control('GET', '/tickets/t')).status).toBe(404);
  });

  it('with control characters in its texts is refused', async () => {
    const { control, ticket } = await setUp();
    const texts = [
      ...['file:///tmp/a%00b', 'nbd:unix:/tmp/a\u0000b', 'nbd://host/a%00b'].map((url) => ({
        url,
      })),
      ...[{ filename: 'a\u0000b' }, { transfer_id: '\ud800' }, { uuid: 't\u0001' }],
    ];
    for (const changes of texts) {
      const { status, text } = await control('PUT', '/tickets/t', ticket(changes));
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/control characters|U\+000|surrogate/),
      ]);
    }
    for (const word of ['%00', '%', '%ff']) {
      expect((await control('GET', `/tickets/${word}`)).status, word).toBe(400);
    }
  });

  /** Body, position and problem in the response. */
  it.each([
    ['{"uuid": "t",\n "uuid": "t"}', '2:2: duplicate member "uuid"'],
    ['{"uuid": "t", "size": 1, "\\u0073ize": 2}', '1:26: duplicate member "size"'],
    ['{"uuid": "t",\n "size": 1,}', '2:12: expected a member name in double quotes'],
    ['{"uuid": "t"} {}', '1:15: expected the end of the text'],
    ['', '1:1: expected a value, found the end of the text'],
    ['{"note": NaN}', '1:10: expected a value'],
    ['{"uuid": "t",\n "__proto__": {"size": 1}}', '2:2: the member name __proto__ is not allowed'],
    [`{"note": ${'['.repeat(64)}${']'.repeat(64)}}`, '1:73: objects and arrays are nested'],
    ['{"note": "\\u0001"}', '1:11: the string contains the character U+0001'],
    ['{"note": "\\ud800"}', '1:11: the string has half a surrogate pair'],
    [Buffer.from('{"note": "\xe4"}', 'latin1'), '1:1: the body is not valid UTF-8'],
  ])('with the body %s is 400 with the position', async (body, problem) => {
    const { control } = await setUp();
    for (const method of ['PUT', 'PATCH']) {
      const { status, text } = await control(method, '/tickets/t', body);
      expect([status, text]).toEqual([
        400,
        expect.stringContaining(`The body is not valid JSON: ${problem}`),
      ]);
    }
  });

  it.each<[string, string]>([
    ['[1.5]', 'Invalid ticket: 1:1: not a JSON object.\n'],
    ['{\n "size": -1, "uuid": 7}', 'Invalid ticket: 2:14: uuid must be a string.\n'],
    ['{"uuid": "other",', 'Invalid ticket: 1:2: uuid differs from the id in the address.\n'],
    ['{"uuid": "t",\n "size": 0.5,', 'Invalid ticket: 2:2: size must be an integer'],
    ['{"uuid": "t",\n "size": 123456789012345678901,', 'Invalid ticket: 2:2: size must be'],
    ['{"uuid": "t",\n\n "ops": ["read", "x"],', 'Invalid ticket: 3:2: ops must be a list'],
    ['{"uuid": "t", "url": "ftp://x",', 'Invalid ticket: 1:15: url "ftp://x" is not supported'],
    [' {', 'Invalid ticket: 1:2: uuid is missing.\n'],
  ])('with %s is 400 with the position of the member', async (beginning, problem) => {
    const { control, ticket } = await setUp();
    // The other members of a ticket follow.
    const given = /"(\w+)":/g;
    const names = [...beginning.matchAll(given)].map(([, name]) => name);
    const others = Object.entries(problem.includes('missing') ? {} : ticket())
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => `"${name}": ${JSON.stringify(value)}`);
    const body = /[\]}]$/.test(beginning) ? beginning : `${beginning}${others.join(', ')}}`;
    const { status, text } = await control('PUT', '/tickets/t', body);
    expect([status, text]).toEqual([400, expect.stringContaining(problem)]);
  });

  it.each(['4096.0000000000001', '4096.0', '1e3', '-0.0'])(
    'with the size %s is 400, because sizes are integers',
    async (size) => {
      const { control, ticket } = await setUp();
      const putTicket = (body: string) => control('PUT', '/tickets/t', body);
      const strings = { note: '"size": 1.5, \\', nested: { size: 0.5 } };
      const body = JSON.stringify({ ...ticket(), ...strings, size: 7 });
      const answer = await putTicket(body.replace('"size":7', `"size":${size}`));
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/size/)]);
      expect((await putTicket(body)).status).toBe(200);
    },
  );

  it('of more than 64 KiB is 413', async () => {
    const { control, ticket } = await setUp();
    const body = ticket({ colour: 'x'.repeat(70_000) });
    expect((await control('PUT', '/tickets/t', body)).status).toBe(413);
  });

  it('does not open the image', async () => {
    const { ask, control, ticket } = await setUp();
    expect((await control('PUT', '/tickets/t', ticket({ url: 'file:///none' }))).status).toBe(200);
    expect((await ask('GET', '/images/t')).status).toBe(500);
  });

  it('again replaces the ticket and its counts', async () => {
    const { ask, control, look, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket());
    await ask('GET', '/images/t');
    expect((await look())['transferred']).toBe(1000);
    await control('PUT', '/tickets/t', ticket({ size: 10 }));
    expect(await look()).toMatchObject({ size: 10, transferred: 0 });
    expect((await ask('GET', '/images/t')).body.length).toBe(10);
  });

  it('accepts a percent-encoded id', async () => {
    const { control, ticket } = await setUp();
    const answer = await control('PUT', '/tickets/a%20b', ticket({ uuid: 'a b' }));
    expect(answer.status).toBe(200);
    expect((await control('GET', '/tickets/a%20b')).status).toBe(200);
    expect((await control('GET', '/tickets/%zz')).status).toBe(400);
  });
});

describe('GET', () => {
  it('of an unknown ticket is 404', async () => {
    const { control } = await setUp();
    expect((await control('GET', '/tickets/t')).status).toBe(404);
  });

  it('includes expired tickets', async () => {
    const { clock, control, look, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket({ timeout: 5 }));
    const { expires } = await look();
    clock.advance(10);
    const later = await look();
    expect(Number(later['expires'])).toBeLessThan(Number(expires));
    expect(later).toMatchObject({ idle_time: 10, canceled: false });
  });

  it('counts overlapping ranges once, for zeros and writes, and ignores extents', async () => {
    const { ask, control, look, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket({ ops: ['write'] }));
    const put = (first: number, last: number) => {
      const headers = { 'Content-Range': `bytes ${first}-${last}/*` };
      return ask('PUT', '/images/t', { headers, body: pattern(last - first + 1) });
    };
    await put(0, 99);
    await put(50, 149);
    await ask('PATCH', '/images/t', { body: '{"op":"zero","offset":900,"size":100}' });
    await ask('PATCH', '/images/t', { body: '{"op":"flush"}' });
    await ask('GET', '/images/t/extents');
    expect((await look())['transferred']).toBe(250);
  });

  it('counts the connections of the ticket, and reports it as active', async () => {
    const { connect, control, look, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket({ ops: ['write'] }));
    const client = await connect();
    client.send('PUT /images/t HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
    while (!(await look())['active']) await new Promise(setImmediate);
    expect(await look()).toMatchObject({ active: true, connections: 1, idle_time: 0 });
    client.send('67890');
    await client.until(/200 OK/);
    client.socket.end();
    await client.closed;
    while ((await look())['connections'] !== 0) await new Promise(setImmediate);
    expect((await look())['active']).toBe(false);
  });
});

describe('a connection', () => {
  it('can use many tickets, and counts for each until it ends', async () => {
    const { ask, control, look, ticket } = await setUp();
    const warnings: Error[] = [];
    const listen = (warning: Error) => void warnings.push(warning);
    process.on('warning', listen);
    onTestFinished(() => void process.off('warning', listen));
    const agent = keepAliveAgent();
    for (let i = 0; i < 30; i++) {
      await control('PUT', `/tickets/t${i}`, ticket({ uuid: `t${i}` }));
      expect((await ask('GET', `/images/t${i}`, { agent })).status).toBe(200);
    }
    await control('PUT', '/tickets/t', ticket());
    expect((await ask('GET', '/images/t', { agent })).status).toBe(200);
    expect((await look())['connections']).toBe(1);
    agent.destroy();
    while ((await look())['connections'] !== 0) await new Promise(setImmediate);
    expect(warnings).toEqual([]);
  });
});

describe('PATCH', () => {
  it('sets the expiry of a ticket; its timeout remains unchanged', async () => {
    const { ask, clock, control, look, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket({ timeout: 10 }));
    expect((await control('PATCH', '/tickets/t', { timeout: 100, size: 1 })).status).toBe(200);
    expect(await look()).toMatchObject({ timeout: 10, size: 1000 });
    clock.advance(99);
    expect((await ask('GET', '/images/t')).status).toBe(200);
    // A use restarts the timeout of the ticket.
    clock.advance(10);
    expect((await ask('GET', '/images/t')).status).toBe(403);
    await control('PATCH', '/tickets/t', { timeout: 1 });
    expect((await ask('GET', '/images/t')).status).toBe(200);
    await control('PATCH', '/tickets/t', { timeout: 0 });
    expect((await ask('GET', '/images/t')).status).toBe(403);
  });

  it('does not end a ticket up to a second early (defect: seconds are truncated)', async () => {
    const { ask, clock, control, ticket } = await setUp();
    clock.advance(0.9);
    await control('PUT', '/tickets/t', ticket({ timeout: 0 }));
    await control('PATCH', '/tickets/t', { timeout: 1 });
    clock.advance(0.999);
    expect((await ask('GET', '/images/t')).status).toBe(200);
  });

  it.each([
    [{ timeout: -1 }],
    [{ timeout: '1' }],
    [{ timeout: 1.5 }],
    [{ timeout: null }],
    [{ timeout: true }],
    [{}],
    [[]],
    ['x'],
  ])('with %j is 400', async (body) => {
    const { control, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket());
    expect((await control('PATCH', '/tickets/t', body)).status).toBe(400);
  });

  it('of an unknown ticket is 404', async () => {
    const { control } = await setUp();
    expect((await control('PATCH', '/tickets/t', { timeout: 1 })).status).toBe(404);
  });
});

describe('DELETE', () => {
  it('is 204 without content, also for an unknown ticket', async () => {
    const { ask, control, ticket } = await setUp();
    await control('PUT', '/tickets/t', ticket());
    const agent = keepAliveAgent();
    expect((await ask('GET', '/images/t', { agent })).status).toBe(200);
    for (let turn = 0; turn < 2; turn++) {
      const answer = await control('DELETE', '/tickets/t');
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(Object.keys(answer.headers).sort()).toEqual(['connection', 'date']);
    }
    // The idle connection did not delay the removal, and its next request is refused.
    expect((await ask('GET', '/images/t', { agent })).status).toBe(403);
    expect((await control('GET', '/tickets/t')).status).toBe(404);
  });

  it.each(['/tickets/t', '/tickets/'])(
    '%s stops running operations and waits for them (defect: nothing stops)',
    async (path) => {
      const { connect, control, file, look, ticket } = await setUp();
      await control('PUT', '/tickets/t', ticket({ ops: ['write'] }));
      const client = await connect();
      client.send('PUT /images/t HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12345');
      while (!(await look())['active']) await new Promise(setImmediate);
      expect((await control('DELETE', path)).status).toBe(204);
      await client.until(/ 403 /);
      client.send('67890');
      await client.closed;
      expect((await readFile(file)).subarray(5).equals(pattern(1000).subarray(5))).toBe(true);
    },
  );

  it('is 409 while an operation is stuck; the ticket remains cancelled', async () => {
    const { backend } = countingBackend();
    let finish: () => void = () => {};
    backend.flush = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const { ask, clock, control, look, ticket } = await setUp({ openBackend: async () => backend });
    await control('PUT', '/tickets/t', ticket({ ops: ['write'] }));
    const put = ask('PUT', '/images/t', { body: 'x' });
    while (!(await look())['transferred']) await new Promise(setImmediate);
    const removal = control('DELETE', '/tickets/t');
    while (!(await look())['canceled']) await new Promise(setImmediate);
    clock.advance(60);
    expect((await removal).status).toBe(409);
    expect(await look()).toMatchObject({ active: true, canceled: true });
    expect((await ask('GET', '/images/t')).status).toBe(403);
    const replacing = control('PUT', '/tickets/t', ticket());
    // Advance the clock until the request waits for it.
    let answered = false;
    replacing.finally(() => {
      answered = true;
    });
    while (!answered) {
      clock.advance(60);
      await new Promise(setImmediate);
    }
    expect((await replacing).status).toBe(409);
    finish();
    await put;
    expect((await control('DELETE', '/tickets/t')).status).toBe(204);
  });
});
