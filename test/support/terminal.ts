/** Scripts that need a terminal, run where there is none. */
import { shellQuote } from '../../src/client/shell-quote.ts';

/** The script in a terminal of 80 columns and 24 lines, and somebody who types until it has ended. */
export function inTerminal(script: string, typed: string): string {
  const typing = `trap '' PIPE; while sleep 0.1; do printf '%s' ${shellQuote(typed)} 2>/dev/null || exit 0; done`;
  const sized = `stty cols 80 rows 24; ${script}`;
  return `{ ${typing}; } | script -qec ${shellQuote(sized)} /dev/null`;
}
