/** Report of a completed `backups run`. */
import { formatBytes } from '../../cli/output/cells.ts';
import { getFormat, isTable, printView } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { FoundObject } from '../../cli/verbs/references.ts';
import type { StoredBackup } from './repository.ts';

/**
 * Prints a line for people, or the backup as an object for programs. `gone` lists the folders of
 * deleted older backups.
 */
export async function reportBackup(
  cli: CommandContext,
  vm: FoundObject,
  { folder, manifest }: StoredBackup,
  gone: readonly string[],
): Promise<void> {
  const { disks } = manifest;
  if (isTable(getFormat(cli))) {
    const mode = manifest.base === undefined ? 'full' : 'incremental';
    const read = formatBytes(disks.reduce((sum, { transferred }) => sum + transferred, 0));
    const verified = disks.every((disk) => disk.verified) ? 'verified' : 'not verified';
    const count = `${disks.length} disk${disks.length === 1 ? '' : 's'}`;
    cli.note(`${vm.label}: backup in ${folder}: ${mode}, ${count}, ${read} read, ${verified}`);
    if (gone.length > 0) cli.note(`deleted: ${gone.join(', ')}`);
    return;
  }
  const { vm: machine, taken, base, checkpoint } = manifest;
  const item = {
    ...{ folder, vm: machine, taken, base, checkpoint, deleted: gone },
    disks: disks.map(({ id, name, file, size, mode, transferred, verified, checksum }) => ({
      ...{ id, name, file, size, mode, transferred, verified, checksum },
    })),
  };
  await printView(cli, { noun: 'backups', items: [item], single: true });
}
