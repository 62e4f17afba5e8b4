/** Serial console of a VM in this terminal. */
import { type Duplex, PassThrough, Transform } from 'node:stream';
import type { CommandContext } from '../../session/command-context.ts';

/** Ctrl-], as in telnet. */
const detachKey = 0x1d;

/**
 * Connects the terminal with a console. Resolves after the detach key, the end of standard input, or
 * the end of the run. The console has received all input by then.
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
  const input = terminal ? endAtDetachKey() : new PassThrough();
  try {
    await new Promise<void>((resolve) => {
      const end = () => resolve();
      for (const event of ['finish', 'close', 'error']) console.once(event, end);
      cli.signal.addEventListener('abort', end, { once: true });
      console.on('data', (bytes: Buffer) => stdout.write(bytes));
      // The response was read from this connection, which is paused since.
      console.resume();
      stdin.pipe(input).pipe(console);
    });
  } finally {
    terminal?.setRawMode(false);
    stdin.unpipe(input);
    stdin.pause();
    console.destroy();
  }
}

/** Passes the input until the detach key. */
function endAtDetachKey(): Transform {
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const at = piece.indexOf(detachKey);
      if (at < 0) return done(null, piece);
      this.push(piece.subarray(0, at));
      this.push(null);
      // Later keys are ignored: the terminal is detached before they are read.
    },
  });
}

function isTerminal(stdin: CommandContext['io']['stdin']): stdin is NodeJS.ReadStream {
  return stdin.isTTY === true && 'setRawMode' in stdin;
}
