/** Runner for scripts that need a terminal. */
import { shellQuote } from '../../src/client/shell-quote.ts';

/** Runs the script in a terminal of 80 columns and 24 lines, with typed input until it exits. */
export function terminalScript(script: string, typed: string): string {
  const typing = `trap '' PIPE; while sleep 0.1; do printf '%s' ${shellQuote(typed)} 2>/dev/null || exit 0; done`;
  const sized = `stty cols 80 rows 24; ${script}`;
  return `{ ${typing}; } | script -qec ${shellQuote(sized)} /dev/null`;
}
