/** Probe of a network port: whether a server listens there. */
import { connect } from 'node:net';

const timeoutMs = 5_000;

/** Opens a connection and closes it immediately. Resolves with false after 5 seconds. */
export function probePort(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const found = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', found(true));
    socket.once('error', found(false));
    socket.once('timeout', found(false));
  });
}
