/** Listener on a Unix socket with access for its owner only. */
import { randomBytes } from 'node:crypto';
import { chmod, lstat, rename, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';

/** Maximum bytes of the path of a socket on all systems with Unix sockets. */
export const maxSocketPathLength = 100;

/**
 * Makes `server` listen on `path` with mode 0600. Resolves with a function that removes the path.
 * Replaces a socket without a listener. Rejects if another file or a socket in use has the path.
 */
export async function listenOnPath(server: Server, path: string): Promise<() => Promise<void>> {
  await refuseInUse(path);
  // Bind to a random name until the mode is set, because a thread cannot set the umask.
  const hidden = join(dirname(path), `.${randomBytes(8).toString('hex')}`);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(hidden, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  try {
    await chmod(hidden, 0o600);
    await rename(hidden, path);
  } catch (error) {
    server.close();
    throw error;
  }
  const { ino } = await lstat(path);
  return async () => {
    // Another daemon may have replaced the socket.
    const now = await lstat(path).catch(() => undefined);
    if (now?.ino === ino) await rm(path, { force: true });
  };
}

async function refuseInUse(path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return;
  if (!stats.isSocket()) throw new Error(`${path} exists and is not a socket`);
  const inUse = await new Promise<boolean>((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
  if (inUse) throw new Error(`another server listens on ${path}`);
}
