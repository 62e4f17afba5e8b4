/** Where images are moved in tests: a server, and for each test a folder and a user of its own. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';
import { User } from './commands.ts';

export interface Workshop {
  readonly server: ServerProcess;
  /** Removed after the test. */
  readonly folder: string;
  readonly user: User;
  /** Paths in the folder: of the image that is moved, and of what comes back. */
  readonly file: string;
  readonly copy: string;
  /** Where the commands of the user put what is temporary. */
  readonly temporary: string;
}

/** Options of the server that all share. */
export const serverOptions = ['--speed', '0', '--inventory', 'small'] as const;

/** Starts a server for the file, which has to end in order; `take` is given each test's workshop. */
export function useWorkshop(take: (workshop: Workshop) => void): void {
  let server: ServerProcess;
  let folder: string;
  beforeAll(async () => {
    // Images are on a disk: what is tested is how they get there.
    server = await startServerProcess(serverOptions, { TMPDIR: tmpdir() });
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vmctl-images-'));
    const temporary = join(folder, 'tmp');
    mkdirSync(temporary);
    const user = new User(server, folder, { TMPDIR: temporary });
    const [file, copy] = [join(folder, 'image.raw'), join(folder, 'copy.raw')];
    take({ server, folder, user, file, copy, temporary });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
}
