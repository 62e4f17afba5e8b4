/** Invalid YAML and JSON texts: each reader of users' files refuses them with the position. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml, TextError } from '../../src/definitions/yaml-text.ts';
import { parseInventory } from '../../src/server/seed/seed.ts';
import { vmctl } from '../cli/support/run.ts';
import { startTlsServer, type TlsServer } from '../support/tls-server.ts';

/** Problem, text, and position in the message. */
const bad: readonly (readonly [string, string, string])[] = [
  ['an open bracket', 'name: [a\n', '2:1'],
  ['a tab as indentation', 'vms:\n\t- name: a\n', '2:1'],
  ['a member twice', 'name: a\nname: b\n', '2:1'],
  ['a member twice, once in quotes', 'a:\n  name: b\n  "name": c\n', '3:3'],
  ['two documents', 'name: a\n---\nname: b\n', '2:1'],
  ['an alias inside its own node', 'vms: &a\n  - *a\n', '2:5'],
  ['an alias of nothing', 'vms: *nothing\n', '1:6'],
  ['an unknown tag', 'name: !secret a\n', '1:7'],
  ['a name without a value', 'vms:\n  - name: ~\n', '2:5'],
  ['an empty value', 'vms:\n  - name:\n', '2:5'],
  ['an item without a value', 'vms:\n  - name: a\n  -\n', '3:4'],
  ['__proto__', '__proto__: { name: a }\n', '1:1'],
  ['a member without a name', '? \n: a\n', '1:3'],
  ['deep nesting', `vms: ${'['.repeat(150)}1${']'.repeat(150)}`, '1:105'],
  ['very deep nesting', '['.repeat(20_000), '1'],
  ['U+0000', 'a: 1\nb: "x\0"\n', '2:6'],
  ['an empty text', '', '1:1'],
];

let folder: string;
let server: TlsServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vmctl-documents-'));
  server = await startTlsServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.close();
});

it('keeps 64-bit integers exact, and others as numbers', async () => {
  const text = 'a: 9007199254740993\nb: [-9223372036854775808, 5]\nc: 1.5\n';
  const exact = { a: 9007199254740993n, b: [-(2n ** 63n), 5], c: 1.5 };
  expect(await parseYaml(text, 'a.yaml')).toMatchObject({ value: exact });
  const { value } = await parseYaml('a: 5', 'a.yaml', { intAsBigInt: true });
  expect(value).toEqual({ a: 5n });
});

describe.each(bad)('%s', (_, text, position) => {
  it('is refused with its position', async () => {
    await expect(parseYaml(text, 'a.yaml')).rejects.toThrow(TextError);
    await expect(parseYaml(text, 'a.yaml')).rejects.toThrow(`a.yaml:${position}`);
  });

  it('is refused by every reader of files with the name of the file', async () => {
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, text);
    await expect(parseInventory(file)).rejects.toThrow(/^\S*bad\.yaml/);
    for (const words of [
      ['apply', file],
      ['diff', file],
      ['vms', 'create', '-f', file],
    ]) {
      const { code, stdout, stderr } = await vmctl(words, { env: server.env });
      expect([code, stdout], words.join(' ')).toEqual([2, '']);
      expect(stderr, words.join(' ')).toMatch(/vmctl: \S*bad\.yaml/);
      expect(stderr).not.toMatch(/bug in vmctl|parseAllDocuments|call stack|Warning:/);
    }
  });
});

it('never fails with another error, for any text', async () => {
  const piece = fc.constantFrom(
    ...[
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      '&a ',
      '*a',
      '!t ',
      '"',
      "'",
      '|',
      '~',
      '?',
    ],
    ...['---', '__proto__', '#', ',', '\u0000', '%', '@', '`', '<<: '],
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      await parseYaml(pieces.join(''), 'a.yaml').catch((error: unknown) => {
        expect(error).toBeInstanceOf(TextError);
        expect((error as Error).message).toMatch(/^a\.yaml:\d+:\d+: ./);
      });
    }),
    { numRuns: 500 },
  );
});
