/** Check of the source layout: reported problems, and accepted sources. */
import { describe, expect, it } from 'vitest';
import { findLayoutProblems } from '../scripts/lint-layout.js';

/** Source with a valid first line. */
const source = (...lines: string[]) => ['/** Purpose of the file. */', ...lines, ''].join('\n');

describe('the layout of the sources', () => {
  it.each([
    ['permitted imports', 'wire/x.ts', "import { a } from '../model/a.ts';"],
    ['its own files', 'wire/x.ts', "import { a } from './a.ts';"],
    ['files of the package', 'server/api/x.ts', "import { version } from '../../version.ts';"],
    ['all imports of commands', 'cli/commands/x.ts', "import('../../server/main.ts')"],
    ['features in their list', 'features/index.ts', "import('./mcp/feature.ts')"],
    ['the core in a feature', 'features/mcp/x.ts', "import { a } from '../../cli/verbs/a.ts';"],
    ['packages', 'server/store/x.ts', "import { DatabaseSync } from 'node:sqlite';"],
  ])('accepts: %s', (_, file, line) => {
    expect(findLayoutProblems([[file, source(line)]])).toEqual([]);
  });

  it.each([
    [
      'a forbidden module',
      'wire/x.ts',
      "import { a } from '../server/main.ts';",
      'must not import server',
    ],
    ['types of it', 'model/x.ts', "import type { A } from '../wire/a.ts';", 'must not import wire'],
    ['lazy imports', 'client/x.ts', "await import('../transfer/a.ts')", 'must not import transfer'],
    ['effects of imports', 'search/x.ts', "import '../wire/a.ts';", 'must not import wire'],
    [
      'folders of a module',
      'server/store/x.ts',
      "import '../core/a.ts';",
      'must not import server/core',
    ],
    ['an unknown module', 'util/x.ts', "import '../model/a.ts';", 'is not a module'],
    [
      'a feature in the core',
      'cli/x.ts',
      "import('../features/mcp/feature.ts')",
      'must not import f',
    ],
    [
      'other features',
      'features/mcp/x.ts',
      "import '../ova/a.ts';",
      'must not import features/ova',
    ],
    [
      'parts of features',
      'features/index.ts',
      "import './mcp/run.ts';",
      'must not import features/mcp',
    ],
    ['SQL', 'server/resources/x.ts', "import sql from 'node:sqlite';", 'node:sqlite is not for'],
    ['another HTTP client', 'client/x.ts', "import 'node:https';", 'node:https is not for client'],
    [
      'a copy of a helper',
      'cli/x.ts',
      'const a = e instanceof Error ? e.message : String(e);',
      'repeats code of caught-errors.ts',
    ],
    [
      'a copy of a check',
      'wire/x.ts',
      "const a = typeof b === 'object' && b !== null && !Array.isArray(b);",
      'repeats code of records.ts',
    ],
    [
      'a loop with pauses',
      'cli/x.ts',
      "import { pause } from '../client/retry.ts';",
      'repeats code of client/poll.ts',
    ],
    [
      'a loop with timers',
      'cli/x.ts',
      'await new Promise((resolve) => setTimeout(resolve, 20));',
      'repeats code of client/poll.ts',
    ],
  ])('reports %s', (_, file, line, problem) => {
    expect(findLayoutProblems([[file, source(line)]])).toEqual([expect.stringContaining(problem)]);
  });

  it('reports cycles of folders of any length', () => {
    const problems = findLayoutProblems([
      ['cli/verbs/x.ts', source("import type { A } from './a/a.ts';")],
      ['cli/verbs/a/a.ts', source("import('../b/b.ts')")],
      ['cli/verbs/b/b.ts', source("export { x } from '../x.ts';")],
    ]);
    expect(problems[0]).toBe(
      'folders import each other: cli/verbs -> cli/verbs/a -> cli/verbs/b -> cli/verbs',
    );
  });

  it('reports cycles of files, also by types or lazy imports', () => {
    const problems = findLayoutProblems([
      ['wire/x.ts', source("import type { A } from './a.ts';")],
      ['wire/a.ts', source("import('./b.ts')")],
      ['wire/b.ts', source("export { x } from './x.ts';")],
    ]);
    expect(problems).toEqual([
      'files import each other: wire/x.ts -> wire/a.ts -> wire/b.ts -> wire/x.ts',
    ]);
  });

  it('reports files without a first line, and long files', () => {
    expect(findLayoutProblems([['wire/x.ts', 'export {};\n']])).toEqual([
      expect.stringContaining('first'),
    ]);
    const long = source(...Array.from({ length: 400 }, () => ''));
    expect(findLayoutProblems([['wire/x.ts', long]])).toEqual([
      expect.stringContaining('401 lines'),
    ]);
    expect(findLayoutProblems([['model/x.ts', long]])).toEqual([]);
  });
});
