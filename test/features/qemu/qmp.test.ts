/** QMP client against a server on a real socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { QmpConnection, type QmpEvent } from '../../../src/features/qemu/qmp.ts';
import { isRecord } from '../../../src/records.ts';

let folder: string;
let path: string;
let server: Server;
const sockets: Socket[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-qmp-'));
  path = join(folder, 'qmp');
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

type Command = Readonly<Record<string, unknown>>;

/** Listens with a greeting. `respond` handles the commands after the negotiation. */
async function listen(
  respond: (command: Command, socket: Socket) => void,
  greeting = '{"QMP": {}}\r\n',
): Promise<void> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.write(greeting);
    socket.on('data', (piece) => {
      for (const line of piece.toString().trim().split('\n')) {
        const command: unknown = JSON.parse(line);
        if (!isRecord(command)) continue;
        const { execute, id } = command;
        if (execute === 'qmp_capabilities') write(socket, { return: {}, id });
        else respond(command, socket);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
}

function write(socket: Socket, message: object): void {
  socket.write(`${JSON.stringify(message)}\r\n`);
}

it('matches responses with commands by id', async () => {
  const waiting: Command[] = [];
  await listen((command, socket) => {
    waiting.push(command);
    // The responses have the opposite order.
    if (waiting.length === 2) {
      for (const { execute, id } of waiting.reverse()) write(socket, { return: execute, id });
    }
  });
  const qmp = await QmpConnection.connect(path, () => {});
  expect(await Promise.all([qmp.execute('first'), qmp.execute('second')])).toEqual([
    'first',
    'second',
  ]);
  qmp.close();
});

it('reports events, also between a command and its response', async () => {
  await listen(({ id }, socket) => {
    write(socket, { event: 'STOP', data: { reason: 'x' } });
    write(socket, { return: {}, id });
  });
  const events: QmpEvent[] = [];
  const qmp = await QmpConnection.connect(path, (event) => events.push(event));
  await qmp.execute('stop');
  expect(events).toEqual([{ name: 'STOP', data: { reason: 'x' } }]);
  qmp.close();
});

it('reads messages in pieces, with characters beyond ASCII', async () => {
  await listen(({ id, arguments: parameters }, socket) => {
    const text = Buffer.from(`${JSON.stringify({ return: parameters, id })}\n`);
    for (const byte of text) socket.write(Buffer.from([byte]));
  });
  const qmp = await QmpConnection.connect(path, () => {});
  expect(await qmp.execute('echo', { name: 'Zoë 🖥' })).toEqual({ name: 'Zoë 🖥' });
  qmp.close();
});

it('rejects with the reason of QEMU', async () => {
  await listen(({ id }, socket) => write(socket, { error: { desc: 'no such device' }, id }));
  const qmp = await QmpConnection.connect(path, () => {});
  await expect(qmp.execute('eject')).rejects.toThrow('QEMU refuses eject: no such device');
  qmp.close();
});

it('rejects if QEMU does not respond', async () => {
  await listen(() => {});
  const qmp = await QmpConnection.connect(path, () => {}, 50);
  await expect(qmp.execute('cont')).rejects.toThrow('QEMU does not respond');
  qmp.close();
});

it('rejects without a greeting', async () => {
  await listen(() => {}, '');
  await expect(QmpConnection.connect(path, () => {}, 50)).rejects.toThrow('QEMU does not respond');
});

it('rejects pending and later commands after the end of the connection', async () => {
  await listen((_command, socket) => socket.destroy());
  const qmp = await QmpConnection.connect(path, () => {});
  await expect(qmp.execute('quit')).rejects.toThrow('QEMU has closed the connection');
  await qmp.closed;
  await expect(qmp.execute('cont')).rejects.toThrow('QEMU has closed the connection');
});

it('ends the connection after a line without end', async () => {
  await listen((_command, socket) => socket.write('x'.repeat(5 * 2 ** 20)));
  const qmp = await QmpConnection.connect(path, () => {});
  await expect(qmp.execute('cont')).rejects.toThrow('QEMU has closed the connection');
});
