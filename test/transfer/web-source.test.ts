/** Images on web servers: requests, and accepted responses. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConflictError, ConnectionError, UsageError } from '../../src/client/errors.ts';
import { isUrl, WebFile, WebSource } from '../../src/transfer/web-source.ts';
import { catchFailure, collect } from './support/collect.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void;

const bytes = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 251));
let server: Server;
let requests: IncomingMessage[];
let answer: Answer;
let stop: AbortController;
const opened: WebFile[] = [];

beforeEach(async () => {
  requests = [];
  answer = ranged();
  stop = new AbortController();
  server = createServer((request, response) => {
    requests.push(request);
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((file) => file.close()));
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Manners {
  readonly headers?: (count: number) => Readonly<Record<string, string>>;
  readonly status?: number;
  /** Body instead of the bytes of the range. `count` is the number of the request. */
  readonly body?: (asked: Buffer, count: number) => Buffer;
}

/** Server that supports ranges and versions. */
function ranged({
  headers = () => ({}),
  status = 206,
  body = (asked) => asked,
}: Manners = {}): Answer {
  return (request, response, count) => {
    const [, first = '', last = ''] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const end = Math.min(Number(last), bytes.length - 1);
    const part = bytes.subarray(Number(first), end + 1);
    response.writeHead(status, {
      etag: '"one"',
      'content-range': `bytes ${first}-${end}/${bytes.length}`,
      'content-length': part.length,
      ...headers(count),
    });
    const sent = body(part, count);
    if (sent.length < part.length) response.write(sent, () => response.destroy());
    else response.end(sent);
  };
}

/** Server that sends the complete file, for any request. */
function whole(headers: Readonly<Record<string, string>> = {}): Answer {
  return (_, response) => response.writeHead(200, headers).end(bytes);
}

async function open({ retries = 0, path = '/image', user = '' } = {}): Promise<WebFile> {
  const { port } = server.address() as AddressInfo;
  const address = `http://${user}127.0.0.1:${port}${path}`;
  const file = await WebFile.open(address, { env: {}, retries, signal: stop.signal });
  opened.push(file);
  return file;
}

const readAll = async (file: WebFile) => Buffer.concat(await collect(file.bytes()));

describe('a web address', () => {
  it.each([
    ['https://host/image', true],
    ['HTTP://host/image', true],
    ['ftp://host/image', false],
    ['./https://host', false],
    ['https:/host', false],
    ['httpsx://host', false],
  ])('%s: %s', (word, expected) => {
    expect(isUrl(word)).toBe(expected);
  });

  it.each(['http://[', 'https://kim:%zz@host/image', 'https://%ff@host/image'])(
    'is refused if it is invalid: %s',
    async (address) => {
      const options = { env: {}, retries: 0, signal: stop.signal };
      const error = await catchFailure(WebFile.open(address, options));
      expect(error).toMatchObject({
        message: `${address} is not a valid address`,
        hint: 'https://host/path/image.qcow2',
      });
      expect(error).toBeInstanceOf(UsageError);
    },
  );
});

describe('opening', () => {
  it('requests the first bytes, uncompressed, with the query, and hides secrets in the name', async () => {
    const file = await open({ path: '/a/image?token=x', user: 'me%40home:p%3Aw@' });
    const [request] = requests;
    expect(requests).toHaveLength(1);
    expect(request?.method).toBe('GET');
    expect(request?.url).toBe('/a/image?token=x');
    expect(request?.headers).toMatchObject({
      range: 'bytes=0-511',
      'accept-encoding': 'identity',
      authorization: `Basic ${Buffer.from('me@home:p:w').toString('base64')}`,
    });
    expect(file.path).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/a\/image$/);
    expect(file.head.equals(bytes.subarray(0, 512))).toBe(true);
    expect(file).toMatchObject({ size: 5_000, supportsRanges: true, validator: '"one"' });
  });

  it('sends no credentials if the address has none', async () => {
    await open();
    expect(requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each<[string, Readonly<Record<string, string>>, number | undefined]>([
    ['the declared length', { 'content-length': '5000' }, 5_000],
    ['no undeclared length', {}, undefined],
    [
      'no length of an encoded response',
      { 'content-length': '5000', 'content-encoding': 'br' },
      undefined,
    ],
  ])('without ranges has %s', async (_, headers, size) => {
    answer = whole(headers);
    const file = await open();
    expect(file).toMatchObject({ size, supportsRanges: false, validator: '' });
    expect(file.head.equals(bytes.subarray(0, 512))).toBe(true);
    expect((await readAll(file)).equals(bytes)).toBe(true);
    expect(requests).toHaveLength(1);
  });

  it.each([
    'bytes 0-511/*',
    'bytes 1-512/5000',
    'xbytes 0-511/5000',
    'bytes 0-511/5000x',
    'bytes 0-511/99999999999999999999',
  ])('takes no length from %s', async (range) => {
    answer = ranged({ headers: () => ({ 'content-range': range }) });
    expect(await open()).toMatchObject({ size: undefined, supportsRanges: false });
  });

  it('uses the modification time if no other version exists', async () => {
    answer = (request, response) => {
      response.removeHeader('etag');
      whole({ 'last-modified': 'Tue, 01 Jan 2030 00:00:00 GMT' })(request, response, 1);
    };
    expect((await open()).validator).toBe('Tue, 01 Jan 2030 00:00:00 GMT');
  });

  it.each([
    [416, UsageError, { message: /\/image is empty$/, code: 'empty_file' }],
    [404, UsageError, { message: /^cannot read .*: HTTP status 404$/, hint: 'check the address' }],
    [
      403,
      UsageError,
      { message: /^cannot read .*: HTTP status 403$/, hint: 'check its permissions' },
    ],
    [
      429,
      ConnectionError,
      { message: /^cannot read .*: HTTP status 429$/, code: 'unreadable_file', retryable: true },
    ],
    [
      500,
      ConnectionError,
      { message: /^cannot read .*: HTTP status 500$/, code: 'unreadable_file', retryable: true },
    ],
    [
      599,
      ConnectionError,
      { message: /^cannot read .*: HTTP status 599$/, code: 'unreadable_file', retryable: true },
    ],
  ])('is refused with the status %i', async (status, kind, { message, ...rest }) => {
    answer = (_, response) => response.writeHead(status).end('no');
    const error = await catchFailure(open());
    expect(error).toMatchObject(rest);
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toMatch(message);
  });
});

describe('the bytes', () => {
  it('continue at the same offset after a lost connection', async () => {
    answer = ranged({ body: (asked, count) => (count === 2 ? asked.subarray(0, 1_000) : asked) });
    expect((await readAll(await open({ retries: 1 }))).equals(bytes)).toBe(true);
    expect(requests.map(({ headers }) => headers.range)).toEqual([
      'bytes=0-511',
      'bytes=0-4999',
      'bytes=1000-4999',
    ]);
  });

  it.each([
    [0, 2],
    [1, 3],
  ])('fail after %i retries without progress', async (retries, count) => {
    answer = ranged({ body: (asked, at) => (at > 1 ? asked.subarray(0, 0) : asked) });
    await expect(readAll(await open({ retries }))).rejects.toMatchObject({ retryable: true });
    expect(requests).toHaveLength(count);
  });

  it('end with the reason of an interrupted command', async () => {
    const file = await open({ retries: 5 });
    const reason = new Error('enough');
    answer = (_, response) => {
      stop.abort(reason);
      response.destroy();
    };
    await expect(readAll(file)).rejects.toBe(reason);
  });
});

describe('a range', () => {
  it('fills its part of a buffer, and zeros follow the end', async () => {
    const source = new WebSource(await open());
    const buffer = Buffer.alloc(20, 0xff);
    await source.read({ start: 4_990, end: 5_010 }, buffer);
    expect(buffer.equals(Buffer.concat([bytes.subarray(4_990), Buffer.alloc(10)]))).toBe(true);
    expect(requests.at(-1)?.headers.range).toBe('bytes=4990-4999');
    await source.read({ start: 6_000, end: 6_020 }, buffer.fill(0xff));
    expect(buffer.equals(Buffer.alloc(20))).toBe(true);
    await source.read({ start: 5_000, end: 5_020 }, buffer.fill(0xff));
    expect(buffer.equals(Buffer.alloc(20))).toBe(true);
    expect(requests).toHaveLength(2);
  });

  it('has the first version', async () => {
    const file = await open({ retries: 3 });
    const buffer = Buffer.alloc(10);
    for (const [manners, why] of [
      [{ headers: () => ({ etag: '"two"' }) }, 'it has another version'],
      [{ status: 200 }, 'the server sends another range than before'],
      [
        { headers: () => ({ 'content-range': 'bytes 0-9/5001' }) },
        'the server sends another range than before',
      ],
      [
        { headers: () => ({ 'content-range': 'bytes 1-10/5000' }) },
        'the server sends another range than before',
      ],
    ] satisfies [Manners, string][]) {
      answer = ranged(manners);
      const before = requests.length;
      const error = await catchFailure(file.read({ start: 0, end: 10 }, buffer));
      expect(error).toMatchObject({ code: 'source_changed' });
      expect(error).toBeInstanceOf(ConflictError);
      expect(error.message).toBe(`${file.path} changed during the upload: ${why}`);
      expect(requests).toHaveLength(before + 1);
    }
  });

  it('must have the requested length', async () => {
    const file = await open();
    const buffer = Buffer.alloc(10);
    const send = (length: number): Answer =>
      ranged({
        headers: () => ({ 'content-length': String(length) }),
        body: () => bytes.subarray(0, length),
      });
    answer = send(11);
    const tooMuch = await catchFailure(file.read({ start: 0, end: 10 }, buffer));
    expect(tooMuch).toMatchObject({ code: 'source_changed' });
    expect(tooMuch.message).toMatch(/it sends too much data$/);
    answer = (_, response) => {
      response.writeHead(206, {
        etag: '"one"',
        'content-range': `bytes 20-29/${bytes.length}`,
        'content-length': '9',
      });
      response.end(bytes.subarray(20, 29));
    };
    const tooLittle = await catchFailure(file.read({ start: 20, end: 30 }, buffer));
    expect(tooLittle).toMatchObject({ code: 'connection_lost', retryable: true });
    expect(tooLittle.message).toMatch(/the response ended at byte 29 of 30$/);
  });
});

it.each([
  ['"one"', true],
  ['', false],
])('a source with the version %j can be resumed: %s', async (etag, repeatable) => {
  answer = ranged({ headers: () => ({ etag }) });
  const source = new WebSource(await open());
  expect(source).toMatchObject({ size: 5_000, storedSize: 5_000, repeatable });
  expect(source.identity).toEqual({ size: 5_000, modified: etag, inode: source.path });
  expect(source.content).toEqual({ format: 'raw', virtualSize: 5_000, hasBackingFile: false });
  expect(await collect(await source.extents())).toEqual([{ start: 0, end: 5_000, zero: false }]);
});
