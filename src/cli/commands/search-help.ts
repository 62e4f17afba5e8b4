/**
 * `vmctl search-help`: explanation of the search language, fields and queries, without a
 * connection.
 */
import { UsageError } from '../../client/errors.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';

async function runSearchHelp(
  cli: CommandContext,
  word: string | undefined,
  query: string | undefined,
): Promise<void> {
  const { explainFields, explainLanguage, explainSearch } = await import(
    './search-help/explain.ts'
  );
  if (query !== undefined) await explainSearch(cli, word ?? '', query);
  else if (word === undefined) await explainLanguage(cli);
  else if (/[\s=<>]/.test(word)) {
    throw new UsageError(`search-help ${word}: noun missing`, {
      hint: `vmctl search-help vms '${word}'`,
    });
  } else await explainFields(cli, word);
}

export default defineNoun({
  name: 'search-help',
  doc: 'Explain the search language, fields, or a query',
  position: 145,
  section: 'Learn, test',
  more: true,
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[noun]', 'noun to explain (default: the language)'),
        defineArgument('[query]', 'query to check'),
      ],
      examples: [
        'vmctl search-help',
        'vmctl search-help vms',
        "vmctl search-help vms 'name=web* and status=up'",
        'vmctl search-help events -o json',
      ],
      offline: true,
      unshowable: 'local',
      onlyReads: true,
      prints: 'report',
      run: (cli, [word, query]) => runSearchHelp(cli, word, query),
    }),
  ],
});
