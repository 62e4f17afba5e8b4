/** Execution of plug-ins. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { UsageError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';
import type { Environment } from '../session/io.ts';
import { settingNames, settings } from '../session/settings.ts';
import type { Plugin } from './find-plugins.ts';

/**
 * Runs a plug-in with the streams of this process, and returns its exit code. Flags before its name become
 * variables, so that commands of vmctl in the plug-in use them.
 */
export async function runPlugin(
  plugin: Plugin,
  words: readonly string[],
  flags: readonly string[],
  env: Environment,
): Promise<number> {
  const { file, args, verbatim } = buildCommandLine(plugin.path, words, env);
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: { ...env, ...toVariables(flags, plugin.name) },
    windowsVerbatimArguments: verbatim,
  });
  const release = forwardSignals((signal) => child.kill(signal));
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', (error) => {
        reject(new UsageError(`cannot run "${plugin.path}": ${systemReason(error)}`));
      });
      child.once('exit', (code, signal) => {
        resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
      });
    });
  } finally {
    release();
  }
}

/** On a terminal, Ctrl-C reaches the plug-in directly, because it is in the same process group. */
function forwardSignals(send: (signal: NodeJS.Signals) => void): () => void {
  const isOnTerminal = process.stdin.isTTY === true;
  const forward = (signal: NodeJS.Signals) => {
    if (signal !== 'SIGINT' || !isOnTerminal) send(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

/**
 * Converts the flags before the name of a plug-in into variables: `-c lab` becomes
 * VMCTL_CONTEXT=lab.
 */
export function toVariables(flags: readonly string[], plugin: string): Record<string, string> {
  const variables: Record<string, string> = {};
  for (let index = 0; index < flags.length; index += 1) {
    const [, short, long, joined] = /^(?:(-\w)|(--[\w-]+)=?)(.*)$/s.exec(flags[index] ?? '') ?? [];
    const flag = short ?? long;
    const name = settingNames.find(
      (one) => flag !== undefined && settings[one].flags?.split(/[ ,]+/).includes(flag),
    );
    const { env, isSwitch = false } = name === undefined ? {} : settings[name];
    if (env === undefined) {
      throw new UsageError(`${flag ?? flags[index]}: not valid before a plug-in`, {
        hint: `write it after ${plugin}`,
      });
    }
    if (isSwitch) variables[env] = '1';
    else if (joined !== undefined && joined !== '') variables[env] = joined;
    else {
      index += 1;
      variables[env] = flags[index] ?? '';
    }
  }
  return variables;
}

/**
 * Builds the command line of a plug-in. Windows runs scripts only through its command interpreter,
 * which has different quoting rules.
 */
export function buildCommandLine(
  path: string,
  words: readonly string[],
  env: Environment,
): { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean } {
  if (!/\.(?:bat|cmd)$/i.test(path)) return { file: path, args: words, verbatim: false };
  const line = [path, ...words].map(quoteForCmd).join(' ');
  return {
    file: env['ComSpec'] ?? env['COMSPEC'] ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
  };
}

/** Quotes a word for the program, and adds carets for the interpreter. */
function quoteForCmd(word: string): string {
  const quoted = `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  return quoted.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
