/** Programs on this computer. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from './io.ts';
import { listProgramSuffixes } from './platform.ts';

/** Whether the `PATH` has a program of this name. */
export function isOnPath(env: Environment, name: string, platform?: string): boolean {
  const suffixes = listProgramSuffixes(env, platform);
  const isComplete = suffixes.some((suffix) => name.toLowerCase().endsWith(suffix));
  const names = isComplete ? [name] : suffixes.map((suffix) => `${name}${suffix}`);
  return listPathFolders(env).some((folder) => names.some((one) => isProgram(join(folder, one))));
}

/** Lists the folders of the `PATH`, which Windows spells `Path`. */
export function listPathFolders(env: Environment): readonly string[] {
  return (env['PATH'] ?? env['Path'] ?? '').split(delimiter);
}

/** Whether a path is an executable file. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
