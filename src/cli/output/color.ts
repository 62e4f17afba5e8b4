/** Colour: on terminals, unless somebody wants it otherwise. Never the only sign of anything. */
import type { ChalkInstance } from 'chalk';
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Output } from '../session/io.ts';

/** Whether a stream has colour: NO_COLOR wins over `--color`, that over FORCE_COLOR, that over what the stream is. */
export function wantsColor(cli: CommandContext, stream: Output): boolean {
  const { env } = cli.io;
  if (env['NO_COLOR']) return false;
  const when = cli.on('noColor') ? 'never' : (cli.setting('color')?.value ?? 'auto');
  if (when === 'always') return true;
  if (when === 'never') return false;
  if (when !== 'auto') {
    throw new UsageError(`--color ${when}: unknown value`, { hint: 'use always, never or auto' });
  }
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** The painter for a stream, or nothing where there is no colour: then it is not even loaded. */
export async function painter(
  cli: CommandContext,
  stream: Output,
): Promise<ChalkInstance | undefined> {
  if (!wantsColor(cli, stream)) return undefined;
  const { Chalk } = await import('chalk');
  return new Chalk({ level: 1 });
}

const good = /^(up|ok|active|operational|finished|finished_success|complete|succeeded|ready)$/;
const bad =
  /^(error|failed|failure|alert|illegal|unknown|not_responding|non_responsive|non_operational|install_failed|inactive|problematic|finished_failure|aborted)$/;
const passing =
  /(ing|_up|_down|_launch|locked|_progress|_state|started|pending|warning|reboot|paused.*)$/;

/** Whether a state is good, bad or on its way to another one. */
export type StateTone = 'good' | 'bad' | 'passing';

/** What the cell of a column says of a state; nothing where it holds no state, or one of neither kind. */
export function toneOf(cell: string, path: string): StateTone | undefined {
  if (!/(^|\.|_)(status|phase|severity)$/.test(path)) return undefined;
  const word = cell.trimEnd();
  if (good.test(word)) return 'good';
  if (bad.test(word)) return 'bad';
  return passing.test(word) ? 'passing' : undefined;
}

const colors = { good: 'green', bad: 'red', passing: 'yellow' } as const;

/** A cell of a state in its colour; everything else stays as it is. */
export function painted(cell: string, path: string, paint: ChalkInstance): string {
  const tone = toneOf(cell, path);
  return tone === undefined ? cell : paint[colors[tone]](cell);
}
