/** What a run says when its backup is complete. */
import { humanBytes } from '../../cli/output/cells.ts';
import { formatOf, isTable, print } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { Found } from '../../cli/verbs/references.ts';
import type { StoredBackup } from './repository.ts';

/** A line for people, the backup for programs; `gone` are the folders of older ones that were deleted. */
export async function report(
  cli: CommandContext,
  vm: Found,
  { folder, manifest }: StoredBackup,
  gone: readonly string[],
): Promise<void> {
  const { disks } = manifest;
  if (isTable(formatOf(cli))) {
    const mode = manifest.base === undefined ? 'full' : 'incremental';
    const read = humanBytes(disks.reduce((sum, { transferred }) => sum + transferred, 0));
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
  await print(cli, { noun: 'backups', items: [item], single: true });
}
