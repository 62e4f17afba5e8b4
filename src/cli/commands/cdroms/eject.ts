/** `vmctl cdroms eject`: removes the CD from the running VM, or from the configuration. */
import { requireOperation } from '../../../model/index.ts';
import { cdromId } from '../../../model/resources/vm-device.ts';
import { getFormat, isTable, printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { getCollection } from '../../verbs/collections.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';
import { forEach, parseParallel } from '../../verbs/parallel.ts';
import { createFinder, type FoundObject } from '../../verbs/references.ts';
import { expandStdin } from '../../verbs/run-verb.ts';

interface EjectFlags {
  readonly config?: boolean;
  readonly parallel?: string;
  readonly failFast?: boolean;
}

/** States in which the drive of the run can change. */
const openStates: ReadonlySet<unknown> = new Set(['up', 'powering_up', 'paused']);

/** Ejects the CDs of VMs. */
export async function ejectDiscs(
  cli: CommandContext,
  named: readonly string[],
  flags: EjectFlags,
): Promise<void> {
  const limits = {
    parallel: parseParallel(flags.parallel),
    failFast: flags.failFast === true,
  };
  const words = await expandStdin(cli, named);
  const client = await cli.client();
  const finder = createFinder(cli, client);
  const vms: FoundObject[] = [];
  for (const word of words) vms.push(await finder.find(word, getCollection('/vms')));
  const runner = await OperationRunner.create(cli, {});
  const path = '/vms/{vm}/cdroms/{cdrom}';
  const done = await forEach(cli, vms, limits, async ({ id, label, item }) => {
    const status =
      item?.['status'] ??
      (await client.object({ operation: requireOperation('/vms/{vm}', 'get'), ids: { vm: id } }))
        .status;
    const isCurrent = openStates.has(status) && flags.config !== true;
    const query = isCurrent ? { current: true } : {};
    const drive = await client.object({
      operation: requireOperation(path, 'get'),
      ids: { vm: id, cdrom: cdromId },
      query,
    });
    const file = drive.file?.id ?? '';
    if (file === '') cli.note(`${label}: no CD; nothing to do`);
    else {
      await runner.change(
        {
          path,
          name: 'update',
          verb: 'eject',
          ids: { vm: id },
          query,
          body: { file: { id: '' } },
        },
        { id: cdromId, label },
      );
      cli.note(`${label}: ejected ${file}${isCurrent ? ' until the next start' : ''}`);
    }
    return { id, ...(file === '' ? {} : { file }) };
  });
  if (!isTable(getFormat(cli))) {
    await printView(cli, { noun: 'vms', items: done, single: done.length === 1 });
  }
}
