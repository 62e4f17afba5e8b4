// NBD server with scripted valid and invalid replies.
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Received request. */
export interface Asked {
  command: number;
  cookie: bigint;
  offset: number;
  length: number;
}

export interface Script {
  /** Greets and answers options (default: the complete handshake). */
  handshake?: (socket: Socket, next: (length: number) => Promise<Buffer>) => Promise<void>;
  /** Answers a request. */
  reply?: (socket: Socket, asked: Asked) => void;
  /** Size of the export, optionally by connection. */
  size?: number | ((connection: number) => number);
  /** Flags of the export in addition to flush and zeroing. */
  flags?: number;
}

export const u16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};
export const u32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
export const u64 = (value: number | bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};

/** Greeting of every server. */
export const greeting = Buffer.concat([Buffer.from('NBDMAGICIHAVEOPT'), u16(3)]);

export function optionReply(option: number, type: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = [u64(0x0003_e889_0455_65a9n), u32(option), u32(type), u32(data.length)];
  return Buffer.concat([...head, data]);
}

/** One chunk of a structured reply. */
export function chunk(cookie: bigint, type: number, payload: Buffer, isLast = true): Buffer {
  const head = [u32(0x668e_33ef), u16(isLast ? 1 : 0), u16(type), u64(cookie)];
  return Buffer.concat([...head, u32(payload.length), payload]);
}

export function simpleReply(cookie: bigint, error = 0, data: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([u32(0x6744_6698), u32(error), u64(cookie), data]);
}

/** Starts a server that ends with the test. Resolves with its socket. */
export async function startFakeServer(script: Script): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'nbd-'));
  const path = join(directory, 's');
  const sockets = new Set<Socket>();
  let count = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    void serve(socket, script, count++);
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });
  return path;
}

async function serve(socket: Socket, script: Script, index: number): Promise<void> {
  let buffered = Buffer.alloc(0);
  let wake = () => {};
  socket.on('data', (data: Buffer) => {
    buffered = Buffer.concat([buffered, data]);
    wake();
  });
  const next = async (length: number) => {
    while (buffered.length < length) await new Promise<void>((resolve) => (wake = resolve));
    const taken = buffered.subarray(0, length);
    buffered = buffered.subarray(length);
    return taken;
  };
  const { size = 2 ** 20, flags = 0 } = script;
  const told = typeof size === 'number' ? size : size(index);
  await (script.handshake ?? wholeHandshake(told, flags))(socket, next);
  for (;;) {
    const head = await next(28);
    const command = head.readUInt16BE(6);
    const length = head.readUInt32BE(24);
    if (command === 1) await next(length);
    if (command === 2) {
      socket.end();
      return;
    }
    const offset = Number(head.readBigUInt64BE(16));
    script.reply?.(socket, { command, cookie: head.readBigUInt64BE(8), offset, length });
  }
}

/** Structured replies, `base:allocation` as number 7, and an export with all features. */
function wholeHandshake(size: number, flags: number) {
  return async (socket: Socket, next: (length: number) => Promise<Buffer>) => {
    socket.write(greeting);
    await next(4);
    for (;;) {
      const head = await next(16);
      const option = head.readUInt32BE(8);
      await next(head.readUInt32BE(12));
      if (option === 10) {
        const context = Buffer.concat([u32(7), Buffer.from('base:allocation')]);
        socket.write(optionReply(option, 4, context));
      }
      if (option === 7) {
        const info = Buffer.concat([u16(0), u64(size), u16(1 | 4 | 64 | flags)]);
        socket.write(Buffer.concat([optionReply(option, 3, info), optionReply(option, 1)]));
        return;
      }
      socket.write(optionReply(option, 1));
    }
  };
}
