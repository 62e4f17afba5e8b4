/** Built command with a signed-in user at a running reference server in this process. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Home, makeHome, type Outcome } from '../../support/command.ts';
import { startServerProcess, startTestServer, type TestServer } from '../../support/server.ts';

export interface Desk {
  readonly server: () => TestServer;
  readonly home: () => Home;
  /** Runs the command, and returns its result. */
  readonly run: (words: readonly string[], input?: string) => Promise<Outcome>;
  /** Runs the command, which must succeed; returns what it printed. */
  readonly must: (...words: string[]) => Promise<string>;
  /** The same with `-o json`, read. */
  readonly json: <T = Record<string, unknown>[]>(...words: string[]) => Promise<T>;
}

/**
 * Starts a server before the tests of the file and stops it afterwards: in this process, or `apart`
 * for tests that block this process.
 */
export function useSignedInCommand(options: readonly string[] = [], apart = false): Desk {
  let server: TestServer;
  let home: Home;
  beforeAll(async () => {
    const start = apart ? startServerProcess : startTestServer;
    server = await start(['--speed', '0', '--inventory', 'small', ...options]);
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
