/** `vmctl export`: writes down what a service has, for `diff`, `apply` and `serve --inventory`. */
import { UsageError } from '../../client/errors.ts';
import { nounOf } from '../args/catalog.ts';
import { command, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import { formatOf } from '../output/print.ts';
import { yamlText } from '../output/yaml.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import { jsonText } from '../text/json.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { Exporter, exported } from './definitions/export.ts';

async function runExport(cli: CommandContext, words: readonly string[]): Promise<void> {
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
  const definition = await new Exporter(runner).definition(wanted);
  const text = format === 'json' ? `${jsonText(definition, 2)}\n` : await yamlText(definition);
  await write(cli.io.stdout, text);
}

export default noun({
  name: 'export',
  doc: 'Write down what a service has, as a definition',
  position: 110,
  commands: [
    command({
      arguments: [argument('[noun...]', `which collections (${exported.join(', ')})`)],
      notes: `Writes YAML, or JSON with -o json. Names stand for ids, secrets are left out; what vmctl diff and
vmctl apply compare a service with, and what vmctl serve --inventory begins with.`,
      examples: ['vmctl export > site.yaml', 'vmctl export clusters networks -o json'],
      unshowable: 'many',
      run: (cli, [words]) => runExport(cli, words),
    }),
  ],
});
