/**
 * Colours of states and titles, on terminals only. Colour never carries information that the text
 * lacks.
 */
import type { ChalkInstance } from 'chalk';
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import type { Output } from '../session/io.ts';

/**
 * Whether a stream has colour. Precedence: NO_COLOR, `--color`, FORCE_COLOR, then the type of the
 * stream.
 */
export function wantsColor(cli: CommandContext, stream: Output): boolean {
  const { env } = cli.io;
  if (env['NO_COLOR']) return false;
  const when = cli.isOn('noColor') ? 'never' : (cli.setting('color')?.value ?? 'auto');
  if (when === 'always') return true;
  if (when === 'never') return false;
  if (when !== 'auto') {
    throw new UsageError(`--color ${when}: unknown value`, { hint: 'use always, never or auto' });
  }
  const forced = env['FORCE_COLOR'] ?? env['CLICOLOR_FORCE'];
  if (forced !== undefined && forced !== '') return forced !== '0';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

/** Creates the painter of a stream; undefined without colour, which saves loading the library. */
export async function createPainter(
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
const transitional =
  /(ing|_up|_down|_launch|locked|_progress|_state|started|pending|warning|reboot|paused.*)$/;

/** Tone of a state: good, bad or transitional. */
export type StateTone = 'good' | 'bad' | 'passing';

/** Returns the tone of a cell; undefined for other columns and for neutral states. */
export function getTone(cell: string, path: string): StateTone | undefined {
  if (!/(^|\.|_)(status|phase|severity)$/.test(path)) return undefined;
  const word = cell.trimEnd();
  if (good.test(word)) return 'good';
  if (bad.test(word)) return 'bad';
  return transitional.test(word) ? 'passing' : undefined;
}

const colors = { good: 'green', bad: 'red', passing: 'yellow' } as const;

/** Colours the cell of a state; other cells are unchanged. */
export function paintCell(cell: string, path: string, paint: ChalkInstance): string {
  const tone = getTone(cell, path);
  return tone === undefined ? cell : paint[colors[tone]](cell);
}
