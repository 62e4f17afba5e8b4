/** Entry point of the daemon's thread: starts the daemon, and runs the calls of its owner. */

import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { getErrorMessage } from '../caught-errors.ts';
import { runDaemon } from './daemon.ts';
import type { CallMessage, ReplyMessage, StartOptions } from './thread.ts';
import type { ImageDaemon } from './types.ts';

if (!parentPort) throw new Error('this program is a part of vmctl');
const port = parentPort;
const reply = (message: ReplyMessage) => port.postMessage(message);

// The first message of the owner. It arrives later, while this program is loaded.
const [options] = (await once(port, 'message')) as [StartOptions];
try {
  const daemon = await runDaemon(options);
  port.on('message', (request: CallMessage) => void answer(daemon, request));
  reply({ kind: 'started', url: daemon.url, port: daemon.port });
} catch (error) {
  reply({ kind: 'failed', message: getErrorMessage(error) });
}

async function answer(daemon: ImageDaemon, request: CallMessage): Promise<void> {
  const { id } = request;
  try {
    reply({ kind: 'result', id, value: await run(daemon, request) });
  } catch (error) {
    reply({ kind: 'error', id, message: getErrorMessage(error) });
  }
}

function run(daemon: ImageDaemon, request: CallMessage) {
  switch (request.name) {
    case 'add':
      return daemon.add(...request.parameters);
    case 'state':
      return daemon.state(...request.parameters);
    case 'extend':
      return daemon.extend(...request.parameters);
    case 'touch':
      return daemon.touch(...request.parameters);
    case 'remove':
      return daemon.remove(...request.parameters);
    case 'close':
      return daemon.close(...request.parameters);
  }
}
