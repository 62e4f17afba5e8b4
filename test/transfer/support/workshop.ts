/** Environment of transfer tests: a server, and for each test a folder and a user. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';
import { User } from './commands.ts';

export interface TransferSetup {
  readonly server: ServerProcess;
  /** Removed after the test. */
  readonly folder: string;
  readonly user: User;
  /** Paths in the folder: the transferred image, and its copy. */
  readonly file: string;
  readonly copy: string;
  /** Folder for temporary files of the user's commands. */
  readonly temporary: string;
}

/** Options of the shared server. */
export const serverOptions = ['--speed', '0', '--inventory', 'small'] as const;

/**
 * Starts a server for the test file, which must exit cleanly. `take` receives the workshop of each
 * test.
 */
export function useTransferSetup(take: (workshop: TransferSetup) => void): void {
  let server: ServerProcess;
  let folder: string;
  beforeAll(async () => {
    // Store images on a disk, because the tests concern their transfer.
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
