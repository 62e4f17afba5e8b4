/** The check of the sources' layout: what it complains of, and what it lets through. */
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../scripts/lint-layout.js';

/** A source whose first line is as it should be. */
const source = (...lines: string[]) => ['/** What is in it. */', ...lines, ''].join('\n');

describe('the layout of the sources', () => {
  it.each([
    ['what a room may import', 'wire/x.ts', "import { a } from '../model/a.ts';"],
    ['its own files', 'wire/x.ts', "import { a } from './a.ts';"],
    ['facts of the package', 'server/api/x.ts', "import { version } from '../../version.ts';"],
    ['anything, where the rooms meet', 'cli/commands/x.ts', "import('../../server/main.ts')"],
    ['features in their list', 'features/index.ts', "import('./mcp/feature.ts')"],
    ['the core in a feature', 'features/mcp/x.ts', "import { a } from '../../cli/verbs/a.ts';"],
    ['packages', 'server/store/x.ts', "import { DatabaseSync } from 'node:sqlite';"],
  ])('lets through: %s', (_, file, line) => {
    expect(problemsOf([[file, source(line)]])).toEqual([]);
  });

  it.each([
    ['another room', 'wire/x.ts', "import { a } from '../server/main.ts';", 'imports no server'],
    ['types of it', 'model/x.ts', "import type { A } from '../wire/a.ts';", 'imports no wire'],
    ['lazy imports', 'client/x.ts', "await import('../transfer/a.ts')", 'imports no transfer'],
    ['effects of imports', 'search/x.ts', "import '../wire/a.ts';", 'imports no wire'],
    ['folders of a room', 'server/store/x.ts', "import '../core/a.ts';", 'imports no server/core'],
    ['a room that is none', 'util/x.ts', "import '../model/a.ts';", 'is no room'],
    ['a feature in the core', 'cli/x.ts', "import('../features/mcp/feature.ts')", 'imports no f'],
    ['other features', 'features/mcp/x.ts', "import '../ova/a.ts';", 'imports no features/ova'],
    ['parts of features', 'features/index.ts', "import './mcp/run.ts';", 'imports no features/mcp'],
    ['SQL', 'server/resources/x.ts', "import sql from 'node:sqlite';", 'node:sqlite is not for'],
  ])('complains of %s', (_, file, line, problem) => {
    expect(problemsOf([[file, source(line)]])).toEqual([expect.stringContaining(problem)]);
  });

  it('complains of circles of folders, however long', () => {
    const problems = problemsOf([
      ['cli/verbs/x.ts', source("import type { A } from './a/a.ts';")],
      ['cli/verbs/a/a.ts', source("import('../b/b.ts')")],
      ['cli/verbs/b/b.ts', source("export { x } from '../x.ts';")],
    ]);
    expect(problems[0]).toBe(
      'folders import each other: cli/verbs -> cli/verbs/a -> cli/verbs/b -> cli/verbs',
    );
  });

  it('complains of circles of files, by types or lazy imports as well', () => {
    const problems = problemsOf([
      ['wire/x.ts', source("import type { A } from './a.ts';")],
      ['wire/a.ts', source("import('./b.ts')")],
      ['wire/b.ts', source("export { x } from './x.ts';")],
    ]);
    expect(problems).toEqual([
      'files import each other: wire/x.ts -> wire/a.ts -> wire/b.ts -> wire/x.ts',
    ]);
  });

  it('complains of files that do not say what is in them, and of long ones', () => {
    expect(problemsOf([['wire/x.ts', 'export {};\n']])).toEqual([expect.stringContaining('first')]);
    const long = source(...Array.from({ length: 400 }, () => ''));
    expect(problemsOf([['wire/x.ts', long]])).toEqual([expect.stringContaining('401 lines')]);
    expect(problemsOf([['model/x.ts', long]])).toEqual([]);
  });
});
