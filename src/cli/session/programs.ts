/** Programs on this computer. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from './io.ts';

/** Whether a program can be run by its name alone. */
export function isOnPath(env: Environment, name: string): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => isProgram(join(folder, name)));
}

/** Whether a path leads to a file that can be run. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
