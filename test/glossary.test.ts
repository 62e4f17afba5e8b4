/** Terms of the glossary: sorted, one short paragraph each, and linked from the other documents. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const terms = read('docs/glossary.md')
  .split('\n## ')
  .slice(1)
  .map((section) => {
    const [title = '', ...text] = section.split('\n');
    return { title, anchor: title.toLowerCase().replaceAll(' ', '-'), text: text.join(' ').trim() };
  });
const pages = [
  'README.md',
  ...readdirSync(new URL('../docs', import.meta.url)).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md') && name !== 'docs/glossary.md');
const linked = new Set(
  pages.flatMap((page) => [...read(page).matchAll(/glossary\.md#([\w-]+)/g)].map(([, to]) => to)),
);

it('has terms in alphabetical order, each with a short explanation', () => {
  const titles = terms.map(({ title }) => title);
  const sorted = titles.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
  expect(titles).toEqual(sorted);
  expect(titles.length).toBeGreaterThan(10);
  for (const { title, text } of terms) expect(text.length, title).toBeLessThan(250);
});

it('is linked from the other documents, term by term', () => {
  expect([...linked].sort()).toEqual(terms.map(({ anchor }) => anchor).sort());
});
