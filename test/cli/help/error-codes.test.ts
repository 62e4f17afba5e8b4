/** Error codes in `vmctl help errors`: those of the sources, with their exit codes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorCodes } from '../../../src/cli/help/error-codes.ts';
import { renderTopicPage } from '../../../src/cli/help/topics.ts';
import { getExitCode } from '../../../src/cli/output/error-report.ts';
import * as errors from '../../../src/client/errors.ts';
import { projectRoot } from '../../support/server.ts';

const page = renderTopicPage('errors') ?? '';
const rows = errorCodes.flatMap(([exit, codes]) => codes.map((code) => `${exit} ${code}`));

/** Errors in the sources with an explicit code: class and code. */
function thrown(): readonly (readonly [type: string, code: string])[] {
  return ['cli', 'client', 'transfer', 'recording', 'features'].flatMap((folder) => {
    const at = join(projectRoot, 'src', folder);
    const names = readdirSync(at, { recursive: true, encoding: 'utf8' });
    return names
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => {
        const text = readFileSync(join(at, name), 'utf8');
        return [...text.matchAll(/\bcode: '([a-z_]+)'/g)].map(({ 1: code = '', index }) => {
          const before = [...text.slice(0, index).matchAll(/new (\w+Error)\(/g)];
          return [before.at(-1)?.[1] ?? '', code] as const;
        });
      });
  });
}

type ErrorClass = new (message: string) => errors.VmctlError;
const classes = new Map(
  Object.entries(errors)
    .filter(([name]) => !['InterruptedError', 'AllFailedError'].includes(name))
    .filter(([, one]) => one.prototype instanceof errors.VmctlError)
    .map(([name, one]) => [name, one as unknown as ErrorClass]),
);
classes.set('VmctlError', errors.VmctlError);

it('lists the codes of the sources, with the exit codes of their classes', () => {
  const missing = thrown().flatMap(([type, code]) => {
    const Class = classes.get(type);
    // A table of codes is followed by the class; a class of one file extends one of these.
    if (!Class) return rows.some((row) => row.endsWith(` ${code}`)) ? [] : [code];
    const row = `${getExitCode(new Class(''))} ${code}`;
    return rows.includes(row) ? [] : [row];
  });
  expect(missing).toEqual([]);
  expect(thrown().length).toBeGreaterThan(100);
});

it('lists the default code of each class', () => {
  const missing = [...classes.values()]
    .map((Class) => new Class(''))
    .map((error) => `${getExitCode(error)} ${error.code}`)
    .filter((row) => !rows.includes(row));
  expect(missing).toEqual([]);
});

it('lists no other codes', () => {
  const known = new Set(thrown().map(([, code]) => code));
  for (const Class of classes.values()) known.add(new Class('').code);
  const others = ['access_denied', 'all_failed', 'interrupted'];
  const unknown = rows.map((row) => row.split(' ').at(-1) ?? '').filter((code) => !known.has(code));
  expect(unknown.filter((code) => !others.includes(code))).toEqual([]);
});

it('is part of the page, with a column of exit codes', () => {
  expect(page).toMatch(/^ {2}EXIT +CODES\n {2}1 +failed, /m);
  expect(page).toMatch(/^ {2}3 +not_found, /m);
});
