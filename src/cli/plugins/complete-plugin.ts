/** Completion of the arguments of a plug-in by the executable `vmctl_complete-NAME`. */
import { execFile } from 'node:child_process';
import type { Environment } from '../session/io.ts';
import { findPluginCompleter, type Plugin } from './find-plugins.ts';
import { buildCommandLine, toVariables } from './run-plugin.ts';

const timeoutMs = 3_000;

/**
 * Runs the executable with the words after the plug-in, the last one at the cursor. Returns the
 * printed choices, each with a description after a tab; undefined without the executable.
 */
export async function completePlugin(
  plugin: Plugin,
  flags: readonly string[],
  words: readonly string[],
  env: Environment,
): Promise<readonly (readonly [word: string, doc: string])[] | undefined> {
  const path = findPluginCompleter(env, plugin.name);
  if (path === undefined) return undefined;
  const { file, args, verbatim } = buildCommandLine(path, words, env);
  const output = await new Promise<string>((resolve, reject) => {
    const options = {
      timeout: timeoutMs,
      env: { ...env, ...toVariables(flags, plugin.name) },
      windowsVerbatimArguments: verbatim,
    };
    const child = execFile(file, args, options, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end();
  });
  return output
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const [word = '', ...doc] = line.split('\t');
      return [word, doc.join(' ')] as const;
    });
}
