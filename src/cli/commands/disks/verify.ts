/** `vmctl disks verify`: says whether a file is what a disk holds. */
import { basename } from 'node:path';
import { compare, FileSource } from '../../../transfer/index.ts';
import { humanBytes } from '../../output/cells.ts';
import { formatOf, isTable, print } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { collectionAt } from '../../verbs/collections.ts';
import { finderFor } from '../../verbs/references.ts';
import { explained } from './transfer-failure.ts';
import { retriesOf } from './transfer-options.ts';
import { TransferProgress } from './transfer-progress.ts';

/** Compares; differences are an error. */
export async function runVerify(cli: CommandContext, word: string, file: string): Promise<void> {
  const source = await FileSource.open(file);
  const progress = new TransferProgress(cli, basename(source.path));
  try {
    const client = await cli.client();
    const found = await finderFor(cli, client).find(word, collectionAt('/disks'));
    const disk = found.item ?? { id: found.id };
    const equal = await compare({
      client,
      disk,
      source,
      retries: retriesOf(cli),
      signal: cli.signal,
      onEvent: (event) => progress.show(event),
    });
    progress.clear();
    if (isTable(formatOf(cli))) {
      const rest = equal.size - equal.fileSize;
      const zeros = rest > 0 ? `, the last ${rest} of them zeros that the file omits` : '';
      cli.note(`${found.label} and ${file} are equal: ${humanBytes(equal.size)}${zeros}`);
      return;
    }
    const { size, algorithm, checksum } = equal;
    const item = {
      id: found.id,
      name: disk['name'] ?? disk['alias'],
      ...{ file: source.path, equal: true, size, algorithm, checksum },
    };
    await print(cli, { noun: 'disks', items: [item], single: true });
  } catch (error) {
    progress.clear();
    throw explained(cli, error, () => '');
  } finally {
    await source.close();
  }
}
