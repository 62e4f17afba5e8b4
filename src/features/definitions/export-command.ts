/** `vmctl export`: writes down what a service has, for `diff`, `apply` and `serve --inventory`. */

import { nounOf } from '../../cli/args/catalog.ts';
import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';
import { formatOf } from '../../cli/output/print.ts';
import { yamlText } from '../../cli/output/yaml.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { jsonText } from '../../cli/text/json.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { UsageError } from '../../client/errors.ts';
import { Exporter, exported } from './export.ts';

async function runExport(
  cli: CommandContext,
  words: readonly string[],
  flags: { readonly status?: boolean },
): Promise<void> {
  const nouns = words.map((word) => {
    const name = nounOf(word)?.name;
    if (name !== undefined && exported.includes(name)) return name;
    throw new UsageError(`cannot export ${word} separately`, {
      hint: `use one of ${exported.join(', ')}`,
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
    cli.note(`${exporter.secrets} passwords are placeholders; set them with vmctl apply --secret`);
  }
  for (const one of exporter.ambiguous) {
    cli.note(`${one} is exported by id, because its name is ambiguous`);
  }
}

export default noun({
  name: 'export',
  doc: 'Export the configuration as a definition',
  position: 110,
  section: 'Configure',
  commands: [
    command({
      arguments: [argument('[noun...]', `collections to export (${exported.join(', ')})`)],
      flags: [flag('--status', 'include which VMs run')],
      notes: `Writes YAML, or JSON with -o json, with names instead of ids and placeholders for secrets. Use it with\nvmctl diff, vmctl apply and vmctl serve --inventory. Disk contents are not included. See vmctl help\ndefinitions.`,
      examples: ['vmctl export > site.yaml', 'vmctl export clusters networks -o json'],
      unshowable: 'many',
      onlyReads: true,
      prints: 'definition',
      run: (cli, [words], flags) => runExport(cli, words, flags),
    }),
  ],
});
