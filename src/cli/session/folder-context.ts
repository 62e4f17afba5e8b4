/** Context that the nearest `.vmctl.yaml` selects, if the user trusts the file. */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { getErrorMessage } from '../../caught-errors.ts';
import { UsageError } from '../../client/errors.ts';
import { isRecord } from '../../records.ts';
import { parseJsonFile } from '../../wire/json-file.ts';
import type { Environment } from './io.ts';
import { readPrivate } from './private-file.ts';

/** Name of the file in a folder. */
export const folderFileName = '.vmctl.yaml';

/** Decision of the user about the content of a file. */
export type TrustDecision =
  | { readonly sha256: string; readonly context: string; readonly position: string }
  | { readonly sha256: string; readonly ignored: true };

/** Nearest file, with the decision about its present content. */
export interface FolderFile {
  readonly path: string;
  /** Content; absent if the file is unsafe or unreadable. */
  readonly text?: string;
  readonly problem?: string;
  readonly decision?: TrustDecision;
}

/** Path of the decisions: in the state folder, because a configuration may be shared. */
export function getTrustPath(stateDirectory: string): string {
  return join(stateDirectory, 'trusted-files.json');
}

/** Finds the nearest file from a folder up to the home directory or the root, with its decision. */
export function findFolderFile(
  stateDirectory: string,
  env: Environment,
  from = findWorkingFolder(),
): FolderFile | undefined {
  if (from === undefined) return undefined;
  const home = resolveFolder(env['HOME'] || process.getBuiltinModule('node:os').homedir());
  for (let folder = from; ; folder = dirname(folder)) {
    const file = readFolderFile(join(folder, folderFileName));
    if (file) return { ...file, ...findDecision(stateDirectory, file) };
    if (folder === home || folder === dirname(folder)) return undefined;
  }
}

/** The working folder; undefined if it is deleted. */
function findWorkingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

/** Resolves symbolic links of a folder; returns the path unchanged if it does not exist. */
export function resolveFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Reads a regular file of the user or of root; undefined if it does not exist. */
export function readFolderFile(path: string): FolderFile | undefined {
  if (!isPresent(path)) return undefined;
  try {
    const text = readPrivate(path, 'owned');
    return text === undefined ? undefined : { path, text };
  } catch (error) {
    return { path, problem: getErrorMessage(error) };
  }
}

/** Whether a file exists, as far as the user may search its folder. */
function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function findDecision(
  stateDirectory: string,
  { path, text }: FolderFile,
): { readonly decision?: TrustDecision } {
  if (text === undefined) return {};
  const all = readDecisions(stateDirectory);
  const decision = Object.hasOwn(all, path) ? all[path] : undefined;
  return decision?.sha256 === hashText(text) ? { decision } : {};
}

/** Reads all decisions by path. Throws `UsageError` for a damaged file. */
export function readDecisions(stateDirectory: string): Readonly<Record<string, TrustDecision>> {
  const path = getTrustPath(stateDirectory);
  const text = readPrivate(path, 'trusted');
  if (text === undefined) return {};
  try {
    const { value } = parseJsonFile(text, path);
    return Object.fromEntries(
      Object.entries(value).flatMap(([file, one]) => {
        const decision = parseDecision(one);
        return decision ? [[file, decision] as const] : [];
      }),
    );
  } catch (error) {
    throw new UsageError(getErrorMessage(error), {
      code: 'bad_configuration',
      hint: `remove ${path}, and trust your files again`,
      cause: error,
    });
  }
}

function parseDecision(value: unknown): TrustDecision | undefined {
  if (!isRecord(value)) return undefined;
  const { sha256, context, position, ignored } = value;
  if (typeof sha256 !== 'string') return undefined;
  if (ignored === true) return { sha256, ignored };
  if (typeof context !== 'string' || typeof position !== 'string') return undefined;
  return { sha256, context, position };
}

/** SHA-256 of a text, in hexadecimal digits. */
export function hashText(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex');
}
