/** The server believes the compiler: type assertions are few, and each says why it is right. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { typeAssertionsIn } from './support/type-assertions.ts';

/** How many there may be in the whole server. */
const most = 20;

const root = fileURLToPath(new URL('../../src/server/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();

const all = files.flatMap((file) =>
  typeAssertionsIn(readFileSync(root + file, 'utf8')).map(({ line, text, isExplained }) => ({
    where: `${file}:${line}: ${text}`,
    isExplained,
  })),
);

describe('type assertions', () => {
  it.each([
    ['const a = b as string;', ['b as string']],
    ['const a = b as unknown as string;', ['b as unknown as string', 'b as unknown']],
    ['const a = <string>b;', ['<string>b']],
    ['const a = b!.c;', ['b!']],
    ['let a!: string;', ['a!: string']],
    ['f(a as never);', ['a as never']],
    ['const a = [1] as const;', []],
    ["import { a as b } from './c.ts';\nexport { b as d };", []],
    ['const a = { b: 1 } satisfies object;', []],
    ["const a = 'b as string'; // c as string\nconst d = `e! as f`;", []],
    ['const a = !b && c !== d;', []],
  ])('are found in %s', (source, expected) => {
    expect(typeAssertionsIn(source).map(({ text }) => text)).toEqual(expected);
  });

  it.each([
    ['// It is.\nconst a = b as string;', true],
    ['const a = b as string; // it is', true],
    ['const a = b as string;\n// Of something else.', false],
    ["const a = c(b as string, 'https://d');", false],
    ['// Of something else.\n\nconst a = b as string;', false],
  ])('have a reason beside them: %s', (source, expected) => {
    expect(typeAssertionsIn(source).map(({ isExplained }) => isExplained)).toEqual([expected]);
  });

  it('are few in the server', () => {
    expect(files.length).toBeGreaterThan(200);
    expect(all.length, all.map(({ where }) => where).join('\n')).toBeLessThanOrEqual(most);
  });

  it('have a reason, all of them', () => {
    expect(all.filter(({ isExplained }) => !isExplained).map(({ where }) => where)).toEqual([]);
  });
});
