/** Type assertions in the sources: few, and each with a reason. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { typeAssertionsIn } from './support/type-assertions.ts';

/** Maximum number in all sources, and in the server. */
const most = { all: 79, server: 20 };

const root = fileURLToPath(new URL('../src/', import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();

const all = files.flatMap((file) =>
  typeAssertionsIn(readFileSync(root + file, 'utf8')).map(({ line, text, isExplained }) => ({
    where: `src/${file}:${line}: ${text}`,
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
  ])('have a comment with the reason: %s', (source, expected) => {
    expect(typeAssertionsIn(source).map(({ isExplained }) => isExplained)).toEqual([expected]);
  });

  it.each([
    ['all sources', 'src/', most.all, 800],
    ['the server', 'src/server/', most.server, 200],
  ])('are few in %s', (_, folder, maximum, minimumFiles) => {
    const found = all.map(({ where }) => where).filter((where) => where.startsWith(folder));
    expect(files.filter((file) => `src/${file}`.startsWith(folder)).length).toBeGreaterThan(
      minimumFiles,
    );
    expect(found.length, found.join('\n')).toBeLessThanOrEqual(maximum);
  });

  it('all have a reason', () => {
    expect(all.filter(({ isExplained }) => !isExplained).map(({ where }) => where)).toEqual([]);
  });
});
