/** Usage errors from the errors of commander. */
import type { CommanderError } from 'commander';
import { UsageError } from '../../client/errors.ts';
import { createUnknownFlagError } from '../args/argv-scan.ts';

/**
 * Converts an error of commander into a usage error with a hint. For an unknown flag, the hint
 * suggests the most similar one of `known`.
 */
export function toUsageError(
  error: CommanderError,
  command: string,
  known: readonly string[],
): UsageError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const help = `vmctl ${command} --help`;
  const [, flag] = /^unknown option '(.*)'$/s.exec(message) ?? [];
  if (flag !== undefined) return createUnknownFlagError(flag, `see ${help}`, known);
  const hint = suggestion ? `${suggestion.replace(/^\(|\)$/g, '')} See ${help}` : `see ${help}`;
  return new UsageError(message, { hint, cause: error });
}
