/** Facts in hand-written pages: paths, links, limits, modules, and the form of the changelog. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modules } from '../../scripts/lint-layout.js';
import { documentedLimits } from './documented-limits.ts';
import { handWrittenPages } from './shown.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const prose = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '');

/** Folders whose files the pages mention. The others are built, or belong to tools. */
const folders = ['bench', 'bin', 'docs', 'man', 'scripts', 'src', 'test', '.ci'];
const inSource = readdirSync(join(root, 'src'));
const fileNames = new Set(
  folders.flatMap((folder) =>
    existsSync(join(root, folder))
      ? readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
          basename(name),
        )
      : [],
  ),
);

/** Paths of the project within the sentences of a page; words in capitals are placeholders. */
function pathsIn(page: string): string[] {
  const codes = [...prose(page).matchAll(/`([^`\s]+)`/g)].map(([, code = '']) => code);
  return codes.filter((code) => {
    const [first = '', ...rest] = code.split('/');
    if (!/^[\w./-]+$/.test(code) || code.split('/').some((part) => /^[A-Z]+(?:\.\w+)?$/.test(part)))
      return false;
    if (rest.length === 0) return /^[a-z][\w-]*\.(?:[cm]?js|tsx?)$/.test(code);
    return folders.includes(first) || inSource.includes(first);
  });
}

/** Output of `npm run reference`, which is not committed. */
const generated = /^docs\/commands(?:\/|$)/;

function exists(path: string): boolean {
  if (generated.test(path)) return true;
  if (!path.includes('/')) return fileNames.has(path) || existsSync(join(root, path));
  return ['', 'src'].some((folder) => existsSync(join(root, folder, path)));
}

/** Anchors of the headings of a page, as GitHub makes them. */
function listAnchors(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set(
    headings.map((anchor) => {
      const before = seen.get(anchor) ?? 0;
      seen.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Returns the problem of a relative link in a page. */
function findProblem(page: string, link: string): string | undefined {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return `${link}: no such file`;
  if (anchor === undefined || listAnchors(target).has(anchor)) return undefined;
  return `${link}: no such heading`;
}

describe.each(handWrittenPages())('%s', (page) => {
  it('names only paths that exist', () => {
    expect(pathsIn(page).filter((path) => !exists(path))).toEqual([]);
  });

  it('links only to files and headings that exist', () => {
    const links = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const relative = links.filter((link) => !/^\w+:/.test(link));
    expect(relative.flatMap((link) => findProblem(page, link) ?? [])).toEqual([]);
  });
});

it('finds paths and links', () => {
  const pages = handWrittenPages();
  expect(pages.flatMap(pathsIn).length).toBeGreaterThan(100);
  expect(exists('src/images/qcow2.ts')).toBe(false);
  expect(findProblem('docs/backup.md', 'stand-in.md#no-such-heading')).toMatch(/no such heading/);
});

describe.each(Object.entries(documentedLimits))('limits in %s', (page, fragments) => {
  const text = read(page).replaceAll(/\s+/g, ' ');
  it.each(fragments)('%s', (fragment) => {
    expect(text.includes(fragment), `${page} does not contain: ${fragment}`).toBe(true);
  });
});

it('docs/architecture.md lists all modules of the linter, within 1,500 words', () => {
  const text = read('docs/architecture.md');
  const [, table = ''] = /^\| Module \| Contents \|\n\|[ -|]*\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const listed = [...table.matchAll(/^\| (.+?) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  // The rows of the folders cover these files.
  const whole = ['cli', 'server'];
  const expected = Object.keys(modules).filter((name) => !whole.includes(name));
  expect(listed.sort()).toEqual(expected.sort());
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(1_500);
});

it('CHANGELOG.md has one line a change, below the verb that it begins with', () => {
  const verbs = ['Add', 'Change', 'Fix', 'Remove', 'Speed up'];
  let heading = '';
  for (const line of read('CHANGELOG.md').split('\n')) {
    if (
      line === '' ||
      /^# Changelog$|^## (?:Unreleased|\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d)$/.test(line)
    )
      continue;
    if (line.startsWith('### ')) {
      heading = line.slice(4);
      expect(verbs).toContain(heading);
    } else expect(line.startsWith(`- ${heading} `), line).toBe(true);
  }
});
