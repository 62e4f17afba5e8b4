/** Minimal VNC viewer: negotiation, authentication, size of the screen. */
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

export interface ViewerOptions {
  readonly password: string;
  /** Certificate authority of the server: the viewer then uses TLS. */
  readonly ca?: string;
  /** Version of the protocol: `003.008`. */
  readonly version?: string;
}

/** Result of a connection. */
export interface Viewed {
  /** Security types that the server offers; empty for old versions. */
  readonly types: readonly number[];
  /** Size of the screen in pixels; undefined if the server refuses the password. */
  readonly size?: { readonly width: number; readonly height: number };
}

/** Connects to a screen. Rejects if the server ends the connection before its decision. */
export async function view(host: string, port: number, options: ViewerOptions): Promise<Viewed> {
  const socket = connect(port, host);
  const { version = '003.008' } = options;
  try {
    await once(socket, 'connect');
    await read(socket, 12);
    socket.write(`RFB ${version}\n`);
    const types = await readTypes(socket, version);
    if (types.length === 0) return { types, ...(await authenticate(socket, options.password)) };
    const wanted = options.ca === undefined ? 2 : 19;
    socket.write(Buffer.from([wanted]));
    if (options.ca === undefined) {
      return { types, ...(await authenticate(socket, options.password)) };
    }
    await selectX509(socket);
    const secured = connectTls({ socket, ca: options.ca, servername: 'localhost' });
    await once(secured, 'secureConnect');
    return { types, ...(await authenticate(secured, options.password)) };
  } finally {
    socket.destroy();
  }
}

/** The offered types. In version 3.3, the server selects VNC authentication. */
async function readTypes(socket: Duplex, version: string): Promise<readonly number[]> {
  if (version !== '003.003') {
    const [count = 0] = await read(socket, 1);
    return [...(await read(socket, count))];
  }
  const type = (await read(socket, 4)).readUInt32BE();
  if (type === 2) return [];
  const length = (await read(socket, 4)).readUInt32BE();
  throw new Error((await read(socket, length)).toString());
}

async function selectX509(socket: Duplex): Promise<void> {
  await read(socket, 2);
  socket.write(Buffer.from([0, 2]));
  const [ack, count = 0] = await read(socket, 2);
  const subtypes = await read(socket, 4 * count);
  if (ack !== 0 || subtypes.readUInt32BE() !== 261) throw new Error('no X509Vnc');
  socket.write(subtypes.subarray(0, 4));
  const [accepted] = await read(socket, 1);
  if (accepted !== 1) throw new Error('not accepted');
}

async function authenticate(socket: Duplex, password: string): Promise<Pick<Viewed, 'size'>> {
  socket.write(encrypt(password, await read(socket, 16)));
  if ((await read(socket, 4)).readUInt32BE() !== 0) return {};
  socket.write(Buffer.from([1]));
  const screen = await read(socket, 24);
  return { size: { width: screen.readUInt16BE(0), height: screen.readUInt16BE(2) } };
}

/** DES with the bits of each byte of the key reversed, as triple DES with one key. */
function encrypt(password: string, challenge: Buffer): Buffer {
  const key = Buffer.alloc(8);
  Buffer.from(password).copy(key);
  const reversed = key.map((byte) =>
    Number.parseInt([...byte.toString(2).padStart(8, '0')].reverse().join(''), 2),
  );
  const cipher = createCipheriv(
    'des-ede3-ecb',
    Buffer.concat([reversed, reversed, reversed]),
    null,
  );
  cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(challenge), cipher.final()]);
}

function read(socket: Duplex, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const receive = () => {
      const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : socket.read(count);
      if (!bytes) return;
      socket.off('readable', receive);
      socket.off('close', fail);
      resolve(bytes);
    };
    const fail = () => reject(new Error('The server has closed the connection.'));
    socket.on('readable', receive);
    socket.once('close', fail);
    socket.on('error', reject);
    receive();
  });
}
