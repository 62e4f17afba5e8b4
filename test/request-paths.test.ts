/** Paths of one request and of one command through the source, at most eight files each (docs/architecture.md). */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const source = (path: string) => readFileSync(join(root, path), 'utf8');
const architecture = source('docs/architecture.md');

/** A file of a path, with the functions that a reader follows in it. */
interface Stop {
  readonly file: string;
  readonly functions: readonly string[];
  /** How the file before reaches this one without an import. */
  readonly reached?: string;
}

/** `POST /vms/{vm}/start`, from the socket to the commit. */
const request: readonly Stop[] = [
  { file: 'src/server/http/listener.ts', functions: ['answer', 'respond'] },
  {
    file: 'src/server/http/pipeline.ts',
    functions: ['storeService', 'handle', 'process', 'perform', 'runChange'],
    reached: 'service.answer',
  },
  { file: 'src/server/api/change.ts', functions: ['change', 'perform'] },
  { file: 'src/server/api/act.ts', functions: ['act', 'runAction'] },
  {
    file: 'src/server/resources/vm/behavior.ts',
    functions: ['start'],
    reached: 'requireAction',
  },
  { file: 'src/server/resources/vm/run.ts', functions: ['start', 'launch'] },
  { file: 'src/server/core/transitions.ts', functions: ['beginTransition'] },
  { file: 'src/server/store/store.ts', functions: ['write', '#commitGroup'], reached: 'tx.update' },
];

/** `vmctl vms start web01`, from the shell to the socket. */
const command: readonly Stop[] = [
  { file: 'bin/vmctl.js', functions: ['main'] },
  { file: 'src/cli/main.ts', functions: ['main', 'run'], reached: 'main.cjs' },
  { file: 'src/cli/program.ts', functions: ['runNoun'] },
  { file: 'src/cli/verbs/verb-command.ts', functions: ['createVerbCommand'] },
  { file: 'src/cli/verbs/run-verb.ts', functions: ['runVerb'] },
  { file: 'src/cli/verbs/change.ts', functions: ['runChange', 'changeObject'] },
  { file: 'src/client/client.ts', functions: ['action'] },
  { file: 'src/client/http.ts', functions: ['send'] },
];

/** Whether a source declares a function or method, or assigns a value of this name. */
function declares(text: string, name: string): boolean {
  return new RegExp(
    `^(?:export )?(?:async )?function\\*? ${name}\\b|^ {2}(?:async )?${name}[<(]|^ +${name},$|^ *let ${name};`,
    'm',
  ).test(text);
}

/** Files that a file imports, statically or with `import()`. */
function listImports(file: string): string[] {
  return [...source(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    relative(root, join(root, dirname(file), path)),
  );
}

describe.each([
  ['request', request],
  ['command', command],
])('the path of a %s', (_, path) => {
  it('has at most eight files', () => {
    expect(new Set(path.map(({ file }) => file)).size).toBeLessThanOrEqual(8);
  });

  it.each(path)('$file has the functions $functions', ({ file, functions }) => {
    expect(functions.filter((name) => !declares(source(file), name))).toEqual([]);
  });

  it('leads from each file to the next one, by an import or a named call', () => {
    const broken = path.slice(1).flatMap(({ file, reached }, index) => {
      const before = path[index]?.file ?? '';
      const isReached =
        reached === undefined
          ? listImports(before).includes(file)
          : source(before).includes(reached);
      return isReached ? [] : [`${before} -> ${file}`];
    });
    expect(broken).toEqual([]);
  });

  it('is described in docs/architecture.md, file by file', () => {
    const undescribed = path.filter(({ file }) => {
      const name = file.replace(/^src\//, '');
      return !architecture.includes(name);
    });
    expect(undescribed.map(({ file }) => file)).toEqual([]);
  });
});
