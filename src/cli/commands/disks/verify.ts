/** `vmctl disks verify`: comparison of a file with a disk. */
import { basename } from 'node:path';
import { compare, FileSource } from '../../../transfer/index.ts';
import { formatBytes } from '../../output/cells.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { getCollection } from '../../verbs/collections.ts';
import { createFinder } from '../../verbs/references.ts';
import { explainFailure } from './transfer-failure.ts';
import { parseTransferRetries } from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

/** Compares a file with a disk. Throws if they differ. */
export async function runVerify(cli: CommandContext, word: string, file: string): Promise<void> {
  const source = await FileSource.open(file);
  const progress = new TransferProgress(cli, basename(source.path));
  try {
    const client = await cli.client();
    const found = await createFinder(cli, client).find(word, getCollection('/disks'));
    const disk = found.item ?? { id: found.id };
    const equal = await compare({
      client,
      disk,
      source,
      retries: parseTransferRetries(cli),
      signal: cli.signal,
      onEvent: (event) => progress.show(event),
    });
    progress.clear();
    if (isTable(getFormat(cli))) {
      const rest = equal.size - equal.fileSize;
      const zeros = rest > 0 ? `, the last ${rest} of them zeros that the file omits` : '';
      cli.note(`${found.label} and ${file} are equal: ${formatBytes(equal.size)}${zeros}`);
      return;
    }
    const { size, algorithm, checksum } = equal;
    const item = {
      id: found.id,
      name: disk.name ?? disk.alias,
      ...{ file: source.path, equal: true, size, algorithm, checksum },
    };
    await printView(cli, { noun: 'disks', items: [item], single: true });
  } catch (error) {
    progress.clear();
    throw explainFailure(cli, error, () => '');
  } finally {
    await source.close();
  }
}
