/** From the words of the command line to an exit code. Loads only what the named noun needs. */
import { InterruptedError, UsageError } from '../client/errors.ts';
import { nounOf, nouns } from './catalog.ts';
import { exitCodeOf, report } from './exit.ts';
import { help } from './help/topics.ts';
import { type Io, processIo } from './io.ts';
import { nearest } from './nearest.ts';
import { unknownFlag, wordPosition } from './words.ts';

/** Runs one command; the promise never rejects. */
export async function main(argv: readonly string[], io: Io = processIo()): Promise<number> {
  const interrupted = new AbortController();
  const release = listenToSignals(interrupted);
  surviveClosedPipe(io);
  try {
    return await run(argv, io, interrupted.signal);
  } catch (error) {
    const reason: unknown = interrupted.signal.aborted ? interrupted.signal.reason : error;
    report(reason, io, wantsMachineErrors(argv, io));
    return exitCodeOf(reason);
  } finally {
    release();
  }
}

async function run(argv: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  if (argv[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    return await complete(argv.slice(1), io, signal);
  }
  const at = wordPosition(argv);
  const word = at < 0 ? undefined : argv[at];
  if (word === undefined || word === 'help') {
    if (word === undefined && argv.some((one) => one === '--version' || one === '-V')) {
      const { version } = await import('./help/version.ts');
      io.stdout.write(`${version()}\n`);
      return 0;
    }
    const odd = word === undefined ? unknownFlag(argv) : undefined;
    if (odd !== undefined) {
      throw new UsageError(`${odd}: unknown flag`, { hint: 'vmctl help flags lists the flags' });
    }
    return await help(at < 0 ? [] : argv.slice(at + 1), io, signal);
  }
  const noun = nounOf(word);
  if (!noun) throw unknownNoun(word);
  const { runNoun } = await import('./program.ts');
  return await runNoun(noun, [...argv.slice(0, at), noun.name, ...argv.slice(at + 1)], io, signal);
}

function unknownNoun(word: string): UsageError {
  const near = nearest(
    word.toLowerCase(),
    nouns.flatMap((noun) => [noun.name, ...noun.aliases]),
  );
  return new UsageError(`${word}: there is no such noun`, {
    code: 'unknown_noun',
    hint:
      near.length > 0
        ? `did you mean ${near.join(' or ')}? vmctl --help lists them`
        : 'vmctl --help lists the nouns',
  });
}

/** Whether errors go out as JSON. Looks at the bare words: they may be what is wrong. */
function wantsMachineErrors(argv: readonly string[], io: Io): boolean {
  let format = io.env['VMCTL_OUTPUT'];
  argv.forEach((word, index) => {
    if (word === '-o' || word === '--output') format = argv[index + 1];
    else if (word.startsWith('--output=')) format = word.slice('--output='.length);
    else if (/^-o\w/.test(word)) format = word.slice(2);
  });
  return format === 'json' || format === 'jsonl' || format === 'ndjson';
}

/**
 * The first signal ends the work in order, the second one at once. A command that listens itself,
 * such as the server, is left alone.
 */
function listenToSignals(controller: AbortController): () => void {
  const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
    if (process.listenerCount(signal) > 1) return;
    if (controller.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143);
    controller.abort(new InterruptedError(signal));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return () => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
}

/** A reader that has seen enough (`| head`) is no failure. */
function surviveClosedPipe(io: Io): void {
  io.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
