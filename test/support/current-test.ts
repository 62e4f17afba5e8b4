/** The test that is running, as the user agent of its requests: the server logs who called what. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const prefix = 'test/';

export interface TestName {
  /** `test/operations/vms.test.ts` */
  readonly file: string;
  /** With the names of the blocks around it; without the format that it speaks. */
  readonly name: string;
}

/** `test/FILE/NAME`, each encoded; `test` outside of a test. */
export function currentTest(): string {
  const { testPath, currentTestName } = expect.getState();
  if (testPath === undefined || currentTestName === undefined) return 'test';
  const file = relative(root, testPath).replaceAll('\\', '/');
  return `${prefix}${encodeURIComponent(file)}/${encodeURIComponent(currentTestName)}`;
}

/** The test behind a user agent; undefined where there was none. */
export function testOf(agent: string): TestName | undefined {
  if (!agent.startsWith(prefix)) return undefined;
  const [file = '', name = ''] = agent.slice(prefix.length).split('/').map(decodeURIComponent);
  return { file, name: name.replace(/ \((?:XML|JSON)\)$/, '') };
}
