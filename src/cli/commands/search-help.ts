/** `vmctl search-help`: the search language, the fields of a noun, what a search means. Never connects. */
import { UsageError } from '../../client/errors.ts';
import { command, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';

async function searchHelp(
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

export default noun({
  name: 'search-help',
  doc: 'Explain the search language, fields, or a query',
  position: 145,
  section: 'Learn, test',
  more: true,
  commands: [
    command({
      arguments: [
        argument('[noun]', 'noun to explain (default: the language)'),
        argument('[query]', 'query to check'),
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
      run: (cli, [word, query]) => searchHelp(cli, word, query),
    }),
  ],
});
