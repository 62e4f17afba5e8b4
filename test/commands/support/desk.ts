/** The built command of somebody who is signed in at a running reference server, in this process. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Home, makeHome, type Outcome } from '../../support/command.ts';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';

export interface Desk {
  readonly server: () => ServerProcess;
  readonly home: () => Home;
  /** Runs the command; whatever comes of it is returned. */
  readonly run: (words: readonly string[], input?: string) => Promise<Outcome>;
  /** Runs the command, which must succeed; returns what it printed. */
  readonly must: (...words: string[]) => Promise<string>;
  /** The same with `-o json`, read. */
  readonly json: <T = Record<string, unknown>[]>(...words: string[]) => Promise<T>;
}

/** Starts a server before the tests of the file, and stops it after them. */
export function useDesk(options: readonly string[] = []): Desk {
  let server: ServerProcess;
  let home: Home;
  beforeAll(async () => {
    server = await startServerProcess(['--speed', '0', '--inventory', 'small', ...options]);
    home = makeHome(server);
  });
  afterAll(async () => {
    home.remove();
    await server.stop();
  });
  const must = async (...words: string[]) => {
    const { code, stdout, stderr } = await home.runHere(words);
    expect(code, `vmctl ${words.join(' ')}: ${stderr}`).toBe(0);
    return stdout;
  };
  return {
    server: () => server,
    home: () => home,
    run: (words, input) => home.runHere(words, {}, input),
    must,
    json: async (...words) => JSON.parse(await must(...words, '-o', 'json')),
  };
}
