/** Command `describe`: reads the sections of an object in parallel, and prints them. */

import { getFormat, isTable, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { getCollection } from '../../cli/verbs/collections.ts';
import { ifReadable } from '../../cli/verbs/effective-permissions.ts';
import { createFinder, findOperation, getPlaceholder } from '../../cli/verbs/references.ts';
import { printTimes, renderSections, toUtc } from './render.ts';
import type { Section } from './section.ts';
import { descriptions } from './sections.ts';

/** Prints the summary of an object. */
export async function runDescribe(cli: CommandContext, noun: string, ref: string): Promise<void> {
  const description = descriptions[noun];
  if (!description) throw new Error(`${noun} have no description.`);
  const format = getFormat(cli);
  const client = await cli.client();
  const collection = getCollection(`/${noun}`);
  const finder = createFinder(cli, client);
  const { id, label } = await finder.find(ref, collection);
  const operation = findOperation(collection.object ?? '', 'get');
  if (!operation) throw new Error(`The model cannot read ${noun}.`);
  const object = await client.object({
    operation,
    ids: { [getPlaceholder(collection)]: id },
    query: { follow: description.follow },
    what: `get ${label}`,
  });
  const { summary, sections } = description.describe({
    client,
    id,
    label,
    object,
    env: cli.io.env,
  });
  const read = await Promise.all(
    sections.map(async (section): Promise<Section> => {
      const { read, ...rest } = section;
      return { ...rest, content: await ifReadable(read()) };
    }),
  );
  const all = cli.isOn('utc') ? read.map(printTimes) : read;
  const shown = cli.isOn('utc') ? toUtc(summary) : summary;
  const isText = isTable(format) && !cli.isOn('query') && cli.setting('columns') === undefined;
  if (isText) {
    await write(cli.io.stdout, await renderSections(cli, shown, all));
    return;
  }
  const unreadable = all.flatMap(({ key, content }) => (content === undefined ? [key] : []));
  const item = {
    ...shown,
    ...Object.fromEntries(all.map(({ key, content }) => [key, content ?? null])),
    ...(unreadable.length > 0 ? { unreadable } : {}),
  };
  await printView(cli, { noun, items: [item], single: true });
}
