/** What Commander refuses, as errors of this command line. */
import type { CommanderError } from 'commander';
import { UsageError } from '../../client/errors.ts';
import { unknownFlagError } from '../args/argv-scan.ts';

/** Commander's message without its prefix, with a hint; of `known` flags the nearest is suggested. */
export function asUsageError(
  error: CommanderError,
  command: string,
  known: readonly string[],
): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const help = `vmctl ${command} --help`;
  const [, flag] = /^unknown option '(.*)'$/s.exec(message) ?? [];
  if (flag !== undefined) return unknownFlagError(flag, `see ${help}`, known);
  const hint = suggestion ? `${suggestion.replace(/^\(|\)$/g, '')} See ${help}` : `see ${help}`;
  return new UsageError(message, { hint, cause: error });
}
