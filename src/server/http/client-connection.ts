/** Connection of the client of a request, to detect that it is closed. */
import type { Socket } from 'node:net';
import type { ClientConnection } from '../api/request.ts';

export function clientConnection(socket: Socket): ClientConnection {
  return {
    get isClosed() {
      return socket.destroyed;
    },
    onClose(listener) {
      if (socket.destroyed) queueMicrotask(listener);
      else socket.once('close', listener);
      return () => socket.off('close', listener);
    },
  };
}
