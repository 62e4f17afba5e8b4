/** Streams of memory between sockets and files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { receiveToFile, sendFile } from '../../../src/features/qemu/memory-transfer.ts';

let folder: string;
let socket: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-memory-'));
  [socket, file] = [join(folder, 'socket'), join(folder, 'memory')];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a receiver', () => {
  it('writes the bytes of a connection to a private file', async () => {
    const receiver = await receiveToFile(socket, file);
    connect(socket).end('memory');
    await receiver.done;
    expect(readFileSync(file, 'utf8')).toBe('memory');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(socket)).toBe(false);
  });

  it.skipIf(!existsSync('/dev/full'))('fails if the disk is full', async () => {
    const receiver = await receiveToFile(socket, '/dev/full');
    const sender = connect(socket);
    sender.on('error', () => {});
    sender.end('memory');
    await expect(receiver.done).rejects.toMatchObject({ code: 'ENOSPC' });
  });

  it('ends when it is closed, without a connection', async () => {
    const receiver = await receiveToFile(socket, file);
    receiver.close();
    await expect(receiver.done).rejects.toMatchObject({ name: 'AbortError' });
  });
});

it('a file is sent to a socket', async () => {
  writeFileSync(file, 'memory');
  const server = createServer({ allowHalfOpen: true });
  const received = new Promise<string>((resolve, reject) => {
    server.once('connection', (input) => {
      buffer(input).then((bytes) => resolve(bytes.toString()), reject);
      input.on('end', () => input.end());
    });
  });
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  await sendFile(file, socket);
  expect(await received).toBe('memory');
  server.close();
});
