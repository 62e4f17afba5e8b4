/** Probe of a network port: whether a server listens there. */
import { connect } from 'node:net';

const patience = 5_000;

/** Opens a connection, and closes it at once; false where that takes too long. */
export function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patience });
    const found = (there: boolean) => () => {
      socket.destroy();
      resolve(there);
    };
    socket.once('connect', found(true));
    socket.once('error', found(false));
    socket.once('timeout', found(false));
  });
}
