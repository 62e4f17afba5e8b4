/**
 * Start of a VNC connection between a viewer and QEMU: versions, security types, TLS. The password
 * is checked by QEMU, so this part never knows it.
 */
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContext, TLSSocket } from 'node:tls';

const version = 'RFB 003.008\n';
/** Versions with a list of security types. */
const listVersions: ReadonlySet<string> = new Set(['RFB 003.007\n', version]);
const oldVersion = 'RFB 003.003\n';

/** Security types: VNC authentication, and VeNCrypt with X.509 certificates around it. */
const vncAuthentication = 2;
const veNCrypt = 19;
const x509Vnc = 261;

/** The viewer or QEMU does not follow the protocol. */
class ProtocolError extends Error {}

/**
 * Negotiates with a viewer, and connects it to the socket at `path`. A viewer on another computer
 * must use TLS. Rejects if the negotiation fails.
 */
export async function acceptViewer(
  viewer: Socket,
  path: string,
  context: SecureContext,
): Promise<void> {
  const isLocal = isLoopback(viewer.remoteAddress ?? '');
  viewer.write(version);
  const spoken = (await readBytes(viewer, version.length)).toString('latin1');
  if (spoken === oldVersion && isLocal) {
    const target = await open(path, spoken);
    return join(viewer, target);
  }
  if (!listVersions.has(spoken)) {
    // In this version, the server names the security type: 0, with the reason.
    viewer.end(Buffer.concat([Buffer.alloc(4), formatReason('This viewer does not support TLS.')]));
    throw new ProtocolError(`version ${spoken.trim()}`);
  }
  const types = isLocal ? [vncAuthentication, veNCrypt] : [veNCrypt];
  viewer.write(Buffer.from([types.length, ...types]));
  const [chosen = 0] = await readBytes(viewer, 1);
  if (!types.includes(chosen)) throw new ProtocolError(`security type ${chosen}`);
  const secured = chosen === veNCrypt ? await startTls(viewer, context) : viewer;
  const target = await open(path, spoken);
  await selectAuthentication(target);
  return join(secured, target);
}

/** Negotiates VeNCrypt 0.2 with X.509 certificates, and starts TLS. */
async function startTls(viewer: Socket, context: SecureContext): Promise<TLSSocket> {
  viewer.write(Buffer.from([0, 2]));
  const offered = await readBytes(viewer, 2);
  const isKnown = offered.readUInt16BE() === 2;
  viewer.write(Buffer.from([isKnown ? 0 : 255]));
  if (!isKnown) throw new ProtocolError('version of VeNCrypt');
  viewer.write(Buffer.concat([Buffer.from([1]), formatNumber(x509Vnc)]));
  const subtype = (await readBytes(viewer, 4)).readUInt32BE();
  viewer.write(Buffer.from([subtype === x509Vnc ? 1 : 0]));
  if (subtype !== x509Vnc) throw new ProtocolError(`subtype ${subtype}`);
  const secured = new TLSSocket(viewer, { isServer: true, secureContext: context });
  await new Promise<void>((resolve, reject) => {
    secured.once('secure', resolve);
    secured.once('error', reject);
    secured.once('close', () => reject(new ProtocolError('TLS')));
  });
  return secured;
}

/** Connects to QEMU with the version of the viewer. */
async function open(path: string, spoken: string): Promise<Socket> {
  const target = connect({ path });
  target.on('error', () => target.destroy());
  await readBytes(target, version.length);
  target.write(spoken, 'latin1');
  return target;
}

/** Selects VNC authentication, which follows. QEMU without a password does not offer it. */
async function selectAuthentication(target: Socket): Promise<void> {
  const [count = 0] = await readBytes(target, 1);
  const types = await readBytes(target, count);
  if (!types.includes(vncAuthentication)) {
    target.destroy();
    throw new ProtocolError('QEMU has no password');
  }
  target.write(Buffer.from([vncAuthentication]));
}

/** Forwards in both directions until one side ends. */
function join(viewer: Duplex, target: Socket): void {
  viewer.on('error', () => viewer.destroy());
  viewer.once('close', () => target.destroy());
  target.once('close', () => viewer.destroy());
  viewer.pipe(target);
  target.pipe(viewer);
}

/** Reads an exact number of bytes. Rejects at the end of the connection. */
function readBytes(socket: Socket, count: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const end = () => {
      socket.off('readable', receive);
      socket.off('close', fail);
    };
    const receive = () => {
      const bytes: Buffer | null = count === 0 ? Buffer.alloc(0) : socket.read(count);
      if (!bytes) return;
      end();
      resolve(bytes);
    };
    const fail = () => {
      end();
      reject(new ProtocolError('end of the connection'));
    };
    if (socket.destroyed) return fail();
    socket.on('readable', receive);
    socket.once('close', fail);
    receive();
  });
}

function formatNumber(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A text with its length. */
function formatReason(text: string): Buffer {
  return Buffer.concat([formatNumber(text.length), Buffer.from(text)]);
}

/** Whether an address belongs to this computer. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./.test(address);
}
