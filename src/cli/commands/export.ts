/** `vmctl export`: writes down what a service has, for `diff`, `apply` and `serve --inventory`. */
import { UsageError } from '../../client/errors.ts';
import { nounOf } from '../args/catalog.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import { formatOf } from '../output/print.ts';
import { yamlText } from '../output/yaml.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { jsonText } from '../text/json.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { Exporter, exported } from './definitions/export.ts';

async function runExport(
  cli: CommandContext,
  words: readonly string[],
  flags: { readonly status?: boolean },
): Promise<void> {
  const nouns = words.map((word) => {
    const name = nounOf(word)?.name;
    if (name !== undefined && exported.includes(name)) return name;
    throw new UsageError(`${word}: cannot be exported by itself`, {
      hint: `what can: ${exported.join(', ')}`,
    });
  });
  const wanted = nouns.length > 0 ? exported.filter((name) => nouns.includes(name)) : exported;
  const format = formatOf(cli);
  const runner = await OperationRunner.begin(cli, {});
  const exporter = new Exporter(runner, { status: flags.status === true });
  const definition = await exporter.definition(wanted);
  const text = format === 'json' ? `${jsonText(definition, 2)}\n` : await yamlText(definition);
  await write(cli.io.stdout, text);
  if (exporter.secrets > 0) {
    cli.note(`${exporter.secrets} passwords are placeholders; vmctl apply --secret fills them`);
  }
  for (const one of exporter.ambiguous) {
    cli.note(`${one} is written by its id, because others are called the same`);
  }
}

export default noun({
  name: 'export',
  doc: 'Write down what a service has, as a definition',
  position: 110,
  commands: [
    command({
      arguments: [argument('[noun...]', `which collections (${exported.join(', ')})`)],
      flags: [flag('--status', 'also write which machines run')],
      notes: `Writes YAML, or JSON with -o json. Names stand for ids, placeholders for passwords; what vmctl diff
and vmctl apply compare a service with, and what vmctl serve --inventory begins with. The bytes of
disks are no part of it. vmctl help definitions says what is, and what is not.`,
      examples: ['vmctl export > site.yaml', 'vmctl export clusters networks -o json'],
      unshowable: 'many',
      onlyReads: true,
      prints: 'definition',
      run: (cli, [words], flags) => runExport(cli, words, flags),
    }),
  ],
});
