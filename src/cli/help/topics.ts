/** `vmctl help`: the root page, the pages of nouns and verbs, and topics. Never connects. */
import { UsageError } from '../../client/errors.ts';
import { groups, nounOf, nouns } from '../catalog.ts';
import { runNoun } from '../program.ts';
import type { Io } from '../io.ts';

/** Prints the page that the words name; without words the root page. */
export async function help(words: readonly string[], io: Io, signal: AbortSignal): Promise<number> {
  const [word, ...rest] = words.filter((one) => !one.startsWith('-'));
  if (word === undefined) {
    io.stdout.write(rootPage());
    return 0;
  }
  const noun = nounOf(word);
  if (noun) {
    return await runNoun(noun, [noun.name, ...rest, '--help'], io, signal);
  }
  throw new UsageError(`${word}: neither a noun nor a help topic`, {
    hint: 'vmctl --help lists both',
  });
}

function rootPage(): string {
  const width = Math.max(...nouns.filter((noun) => !noun.more).map((noun) => noun.name.length));
  const parts = groups.map((group) => {
    const shown = nouns.filter((noun) => noun.group === group && !noun.more);
    if (shown.length === 0) return '';
    const rows = shown.map((noun) => `  ${noun.name.padEnd(width)}  ${noun.doc}`);
    return `${group}\n${rows.join('\n')}\n`;
  });
  return `Administer a virtualization service from the command line.

Usage: vmctl <noun> <verb> [refs...] [flags]

${parts.filter((part) => part !== '').join('\n')}`;
}
