/**
 * Identification of the running test in the user agent of its requests, for the call log of the
 * server.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const prefix = 'test/';

export interface TestName {
  /** `test/operations/vms.test.ts` */
  readonly file: string;
  /** Titles of the enclosing blocks and of the test, without the format in parentheses. */
  readonly name: string;
}

/** `test/FILE/NAME`, both encoded; `test` outside of a test. */
export function currentTest(): string {
  const { testPath, currentTestName } = expect.getState();
  if (testPath === undefined || currentTestName === undefined) return 'test';
  const file = relative(root, testPath).replaceAll('\\', '/');
  return `${prefix}${encodeURIComponent(file)}/${encodeURIComponent(currentTestName)}`;
}

/** Test of a user agent; undefined if it has none. */
export function parseTest(agent: string): TestName | undefined {
  if (!agent.startsWith(prefix)) return undefined;
  const [file = '', name = ''] = agent.slice(prefix.length).split('/').map(decodeURIComponent);
  return { file, name: name.replace(/ \((?:XML|JSON)\)$/, '') };
}
