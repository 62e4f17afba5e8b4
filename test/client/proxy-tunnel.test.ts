/** Selection of the proxy for a server, and tunnels through proxies with various responses. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, UsageError } from '../../src/client/errors.ts';
import { namesProxy } from '../../src/client/proxy-env.ts';
import { connectThroughProxy, proxyConnector, selectProxy } from '../../src/client/proxy-tunnel.ts';

const engine = 'https://engine.example.com';

describe('the proxy of a server', () => {
  it.each([
    [{ https_proxy: 'a:1', HTTPS_PROXY: 'b:2', all_proxy: 'c:3', ALL_PROXY: 'd:4' }, 'http://a:1/'],
    [{ HTTPS_PROXY: 'b:2', all_proxy: 'c:3', ALL_PROXY: 'd:4' }, 'http://b:2/'],
    [{ all_proxy: 'c:3', ALL_PROXY: 'd:4' }, 'http://c:3/'],
    [{ ALL_PROXY: 'd:4' }, 'http://d:4/'],
    [{ https_proxy: '', HTTPS_PROXY: 'https://b:2' }, 'https://b:2/'],
    [{ HTTPS_PROXY: 'http://jane:x@b' }, 'http://jane:x@b/'],
    [{ HTTPS_PROXY: '' }, undefined],
    [{ http_proxy: 'http://b:2' }, undefined],
    [{}, undefined],
  ])('%j', (env: Record<string, string>, proxy) => {
    expect(namesProxy(env)).toBe(proxy !== undefined);
    expect(selectProxy(engine, env)?.href).toBe(proxy);
  });

  it.each([
    ['ALL_PROXY', 'socks5://127.0.0.1:1080'],
    ['HTTPS_PROXY', 'xhttp://b:2'],
    ['HTTPS_PROXY', 'http://'],
    ['https_proxy', 'http://b:99999'],
  ])('is refused if it is invalid: %s=%s', (name, value) => {
    const find = () => selectProxy(engine, { [name]: value });
    expect(find).toThrow(UsageError);
    expect(find).toThrow(`${name}: not the address of an http or https proxy`);
    expect(find).toThrow(
      expect.objectContaining({
        hint: `use ${name}=http://host:port, or add engine.example.com to NO_PROXY`,
      }),
    );
  });

  it.each([
    ['HTTPS_PROXY', 'http://jane:50%@proxy:3128'],
    ['https_proxy', 'http://ja%zzne:x@proxy:3128'],
    ['ALL_PROXY', 'jane:%ff@proxy:3128'],
  ])('is refused if its credentials have malformed percent-encoding: %s=%s', (name, value) => {
    const find = () => selectProxy(engine, { [name]: value });
    expect(find).toThrow(UsageError);
    expect(find).toThrow(`${name}: user or password has malformed percent-encoding`);
    const hint = `in ${name}=http://user:password@host:port, write "%" in user or password as %25`;
    expect(find).toThrow(expect.objectContaining({ hint }));
  });

  it.each([
    ['', true],
    ['example.com', false],
    ['EXAMPLE.com', false],
    ['.example.com', false],
    ['*.example.com', false],
    ['*', false],
    ['other.org, engine.example.com', false],
    ['other.org engine.example.com', false],
    ['other.org,,', true],
    ['engine.example.com:443', false],
    ['engine.example.com:8443', true],
    ['ngine.example.com', true],
    ['engine.example.com.', true],
    ['com.example', true],
  ])('NO_PROXY=%j', (exceptions, isUsed) => {
    const proxy = { HTTPS_PROXY: 'proxy.example.com:3128' };
    const found = isUsed ? 'proxy.example.com:3128' : undefined;
    expect(selectProxy(engine, { ...proxy, NO_PROXY: exceptions })?.host).toBe(found);
    expect(selectProxy(engine, { ...proxy, no_proxy: exceptions, NO_PROXY: '' })?.host).toBe(found);
    expect(
      selectProxy(engine, { ...proxy, no_proxy: 'x', NO_PROXY: exceptions })?.host,
    ).toBeDefined();
  });

  it.each([
    ['https://localhost:8443', ''],
    ['https://a.localhost', ''],
    ['https://127.0.0.2', ''],
    ['https://[::1]:8443', ''],
    ['http://engine.example.com', ''],
    ['https://[2001:db8::1]', '[2001:db8::1]'],
    ['https://[2001:db8::1]', '2001:db8::1'],
    ['https://engine.example.com:8443', 'engine.example.com:8443'],
    ['https://10.1.2.3', '10.1.2.3'],
  ])('is not used for %s, with NO_PROXY=%s', (origin, exceptions) => {
    const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: exceptions };
    expect(selectProxy(origin, env)).toBeUndefined();
  });

  it.each([
    ['https://notlocalhost', ''],
    ['https://localhost.example.com', ''],
    ['https://127.0.0.1.example.com', ''],
    ['https://[2001:db8::1]', '[2001:db8::2]'],
    ['https://[2001:db8::1]', '1'],
    ['https://engine.example.com:8443', 'engine.example.com:443'],
    ['https://110.1.2.3', '10.1.2.3'],
  ])('is used for %s, with NO_PROXY=%s', (origin, exceptions) => {
    const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: exceptions };
    expect(selectProxy(origin, env)?.host).toBe('proxy:3128');
  });
});

describe('a tunnel', () => {
  const servers: Server[] = [];
  const sockets: Socket[] = [];

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const server of servers.splice(0)) server.close();
  });

  /** Proxy that handles each request head with `answer`. Returns its address and the heads. */
  async function proxyThat(answer: (socket: Socket, head: string) => void) {
    const heads: string[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      let head = '';
      socket.on('data', (piece) => {
        if (head.endsWith('\r\n\r\n')) return;
        head += piece.toString('latin1');
        if (!head.endsWith('\r\n\r\n')) return;
        heads.push(head);
        answer(socket, head);
      });
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    return { host: `127.0.0.1:${port}`, heads };
  }

  async function through(host: string, origin = engine): Promise<Socket> {
    const socket = await connectThroughProxy(origin, { HTTPS_PROXY: `http://${host}` });
    if (!socket) throw new Error('There is no proxy.');
    sockets.push(socket);
    return socket;
  }

  const opened = 'HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n';

  it('requests the server by name and port', async () => {
    const { host, heads } = await proxyThat((socket) => socket.write(opened));
    await through(host);
    await through(host, 'https://[2001:db8::1]:8443');
    expect(heads).toEqual([
      'CONNECT engine.example.com:443 HTTP/1.1\r\nHost: engine.example.com:443\r\n\r\n',
      'CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\n\r\n',
    ]);
  });

  it('authenticates with the credentials in the address of the proxy', async () => {
    const { host, heads } = await proxyThat((socket) => socket.write(opened));
    await through(`jane:se%20same@${host}`);
    await through(`jane@${host}`);
    const logins = heads.map((head) => /^Proxy-Authorization: Basic (\S+)\r$/m.exec(head)?.[1]);
    expect(logins.map((text) => Buffer.from(text ?? '', 'base64').toString())).toEqual([
      'jane:se same',
      'jane:',
    ]);
  });

  it('preserves the bytes after the head, in any chunks', async () => {
    const { host } = await proxyThat((socket) => {
      socket.write('HTTP/1.0 201 ok\r\n\r');
      setImmediate(() => socket.write('\nfirst'));
    });
    const socket = await through(host);
    const data = once(socket, 'data');
    socket.resume();
    const [bytes] = await data;
    expect(String(bytes)).toBe('first');
    expect(socket.timeout ?? 0).toBe(0);
    for (const event of ['timeout', 'end']) {
      expect(socket.listeners(event).map(({ name }) => name)).not.toContain('fail');
    }
  });

  it.each([
    [
      'HTTP/1.1 403 Not that host\r\n\r\n',
      '403 Not that host',
      'contact the administrator of the proxy; add hosts without proxy to NO_PROXY',
    ],
    [
      'HTTP/1.1 407 Who are you\r\n\r\n',
      '407 Who are you',
      'add user and password to HTTPS_PROXY: http://user:password@host:port',
    ],
    [
      'HTTP/2 200 OK\r\n\r\n',
      '200 OK',
      'contact the administrator of the proxy; add hosts without proxy to NO_PROXY',
    ],
    [
      'HTTP/1.1 1200 x\r\n\r\n',
      '1200 x',
      'contact the administrator of the proxy; add hosts without proxy to NO_PROXY',
    ],
    [
      '\r\n\r\n',
      'invalid response',
      'contact the administrator of the proxy; add hosts without proxy to NO_PROXY',
    ],
  ])('is refused by %j', async (answer, words, hint) => {
    const { host } = await proxyThat((socket) => socket.write(answer));
    const failure = through(host);
    await expect(failure).rejects.toBeInstanceOf(ConnectionError);
    await expect(failure).rejects.toMatchObject({
      message: `proxy ${host} does not connect to engine.example.com:443: ${words}`,
      hint: expect.stringContaining(hint),
    });
  });

  it.each([
    ['ends without a response', (socket: Socket) => void socket.end()],
    ['cuts the connection', (socket: Socket) => void socket.resetAndDestroy()],
    ['sends an endless head', (socket: Socket) => void socket.write('x'.repeat(65 * 1024))],
  ])('fails if the proxy %s', async (_, answer) => {
    const { host } = await proxyThat(answer);
    const failure = through(host);
    await expect(failure).rejects.toBeInstanceOf(ConnectionError);
    await expect(failure).rejects.toThrow(`proxy ${host} does not respond`);
  });

  it('accepts a head of 64 KiB', async () => {
    const { host } = await proxyThat((socket) => {
      const start = 'HTTP/1.1 200 OK\r\nx: ';
      socket.write(`${start}${'x'.repeat(64 * 1024 - start.length)}`);
      setImmediate(() => socket.write('\r\n\r\n'));
    });
    await through(host);
  });

  it('fails with a hint if the proxy is unreachable', async () => {
    const { host } = await proxyThat(() => {});
    const [server] = servers.splice(0);
    server?.close();
    await expect(through(host)).rejects.toMatchObject({
      name: 'ConnectionError',
      message: `proxy: cannot connect to ${host}: connection refused`,
      hint: 'check HTTPS_PROXY; add hosts without proxy to NO_PROXY',
    });
  });

  it('is not opened if the server needs no proxy', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'example.com' };
    expect(await connectThroughProxy(engine, env)).toBeUndefined();
  });

  it('is used by a connector', async () => {
    const { host } = await proxyThat((socket) => socket.write(opened));
    const seen: (Socket | undefined)[] = [];
    const connect = proxyConnector(
      (options, callback) => {
        seen.push(options.httpSocket);
        callback(null, options.httpSocket as Socket);
      },
      { HTTPS_PROXY: host, NO_PROXY: 'near.example.com' },
    );
    const made = (hostname: string) =>
      new Promise((resolve, reject) => {
        connect({ hostname, protocol: 'https:', port: '' }, (error, socket) =>
          error ? reject(error) : resolve(socket),
        );
      });
    await made('near.example.com');
    const socket = await made('far.example.com');
    sockets.push(socket as Socket);
    expect(seen).toEqual([undefined, socket]);
    const bad = proxyConnector(() => {}, { HTTPS_PROXY: 'ftp://x' });
    const failed = new Promise((resolve) => {
      bad({ hostname: 'a.test', protocol: 'https:', port: '' }, (...[error]) => resolve(error));
    });
    expect(await failed).toBeInstanceOf(UsageError);
    const unreachable = proxyConnector(() => {}, { HTTPS_PROXY: '127.0.0.1:1' });
    const lost = new Promise((resolve) => {
      unreachable({ hostname: 'a.test', protocol: 'https:', port: '' }, (...[error]) =>
        resolve(error),
      );
    });
    expect(await lost).toBeInstanceOf(ConnectionError);
  });
});
