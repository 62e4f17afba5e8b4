/** Command `vmctl export`: writes the configuration of a service as a definition. */

import { findNoun } from '../../cli/args/catalog.ts';
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';
import { getFormat } from '../../cli/output/print.ts';
import { formatYaml } from '../../cli/output/yaml.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { formatJson } from '../../cli/text/json.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { UsageError } from '../../client/errors.ts';
import { Exporter, exportedCollections } from './export.ts';
import { findExportHint } from './single-object.ts';

async function runExport(
  cli: CommandContext,
  words: readonly string[],
  flags: { readonly status?: boolean },
): Promise<void> {
  const nouns = words.map((word, index) => {
    const name = findNoun(word)?.name;
    if (name !== undefined && exportedCollections.includes(name)) return name;
    throw new UsageError(`cannot export ${word} separately`, {
      hint: findExportHint(cli, words, index) ?? `use one of ${exportedCollections.join(', ')}`,
    });
  });
  const wanted =
    nouns.length > 0
      ? exportedCollections.filter((name) => nouns.includes(name))
      : exportedCollections;
  const format = getFormat(cli);
  const runner = await OperationRunner.create(cli, {});
  const exporter = new Exporter(runner, { status: flags.status === true });
  const definition = await exporter.definition(wanted);
  const text = format === 'json' ? `${formatJson(definition, 2)}\n` : await formatYaml(definition);
  await write(cli.io.stdout, text);
  if (exporter.secrets > 0) {
    cli.note(`${exporter.secrets} passwords are placeholders; set them with vmctl apply --secret`);
  }
  for (const one of exporter.ambiguous) {
    cli.note(`${one} is exported by id, because its name is ambiguous`);
  }
}

export default defineNoun({
  name: 'export',
  doc: 'Export the configuration as a definition',
  position: 110,
  section: 'Configure',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[noun...]', `collections to export (${exportedCollections.join(', ')})`),
      ],
      flags: [defineFlag('--status', 'include which VMs run')],
      notes: `Writes YAML, or JSON with -o json, with names instead of ids and placeholders for secrets. Use it with\nvmctl diff, vmctl apply and vmctl serve --inventory. Disk contents are not included. See vmctl help\ndefinitions.`,
      examples: ['vmctl export > site.yaml', 'vmctl export clusters networks -o json'],
      unshowable: 'many',
      onlyReads: true,
      prints: 'definition',
      run: (cli, [words], flags) => runExport(cli, words, flags),
    }),
  ],
});
