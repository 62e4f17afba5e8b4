/** Serial console of a VM in this terminal. */
import type { Duplex } from 'node:stream';
import type { CommandContext } from '../../session/command-context.ts';

/** Ctrl-], as in telnet. */
const detachKey = 0x1d;

/**
 * Connects the terminal with a console. Resolves after the detach key, the end of standard input, or
 * the end of the run.
 */
export async function attachTerminal(
  cli: CommandContext,
  console: Duplex,
  label: string,
): Promise<void> {
  const { stdin, stdout } = cli.io;
  const terminal = isTerminal(stdin) ? stdin : undefined;
  cli.note(`serial console of ${label}${terminal ? '; Ctrl-] ends' : ''}`);
  terminal?.setRawMode(true);
  try {
    await new Promise<void>((resolve) => {
      const end = () => resolve();
      console.once('close', end);
      console.on('error', end);
      cli.signal.addEventListener('abort', end, { once: true });
      console.on('data', (bytes: Buffer) => stdout.write(bytes));
      // The response was read from this connection, which is paused since.
      console.resume();
      stdin.on('end', end);
      stdin.on('data', (piece: Buffer | string) => {
        const bytes = Buffer.from(piece);
        const at = terminal ? bytes.indexOf(detachKey) : -1;
        console.write(at < 0 ? bytes : bytes.subarray(0, at));
        if (at >= 0) end();
      });
    });
  } finally {
    terminal?.setRawMode(false);
    stdin.removeAllListeners('data');
    stdin.pause();
    console.destroy();
  }
}

function isTerminal(stdin: CommandContext['io']['stdin']): stdin is NodeJS.ReadStream {
  return stdin.isTTY === true && 'setRawMode' in stdin;
}
