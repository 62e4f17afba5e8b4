/** Sections of the specification that comments cite, compared with docs/specification.md. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { projectRoot } from '../support/server.ts';

const page = readFileSync(join(projectRoot, 'docs/specification.md'), 'utf8');
const sections = new Set([...page.matchAll(/^##+ (\d(?:\.\d)?) /gm)].map(([, number]) => number));

/** Lists cited sections of a text: `(specification 4.2, 4.3 and 6)`. */
function citedSections(text: string): string[] {
  return [...text.matchAll(/\bspecification ((?:\d(?:\.\d)?(?:, | and )?)+)/gi)].flatMap(
    ([, list = '']) => list.match(/\d(?:\.\d)?/g) ?? [],
  );
}

it('recognizes citations', () => {
  expect(citedSections('A list (specification 4.2, 4.3 and 6): text.')).toEqual([
    '4.2',
    '4.3',
    '6',
  ]);
});

it.each(['src', 'test', 'bench', 'scripts'])('contains each section that %s cites', (folder) => {
  const files = readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' });
  const cited = files
    .filter((name) => /\.(?:[cm]?js|tsx?)$/.test(name))
    .flatMap((name) => {
      const text = readFileSync(join(projectRoot, folder, name), 'utf8');
      return citedSections(text).map((number) => ({ number, file: `${folder}/${name}` }));
    });
  if (folder === 'src') expect(cited.length).toBeGreaterThan(40);
  expect(cited.filter(({ number }) => !sections.has(number))).toEqual([]);
});
