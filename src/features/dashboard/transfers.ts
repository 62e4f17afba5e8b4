/** Active image transfers, for the status line. */

import { formatBytes } from '../../cli/output/cells.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { Resource } from '../../model/resource.ts';

/** Progress of a transfer. */
export interface TransferProgress {
  readonly name: string;
  readonly isUpload: boolean;
  /** Bytes. */
  readonly transferred: number;
  /** Bytes; undefined if the size of the disk is unknown. */
  readonly total: number | undefined;
  readonly phase: string;
}

const finalPhases = /^finished|^cancelled/;

/** Transfers that have not ended. */
export async function readTransfers(cli: CommandContext): Promise<readonly TransferProgress[]> {
  const runner = await OperationRunner.create(cli, {});
  const all = await runner.list({ path: '/imagetransfers', follow: 'disk' });
  return all.filter(({ phase }) => !finalPhases.test(String(phase))).map(describeProgress);
}

function describeProgress(transfer: Resource<'image_transfer'>): TransferProgress {
  const disk: Resource<'disk'> = transfer.disk ?? transfer.image ?? {};
  const size = Number(disk.provisioned_size ?? disk.total_size);
  return {
    name: String(disk.alias ?? disk.name ?? disk.id ?? transfer.id),
    isUpload: transfer.direction !== 'download',
    transferred: Number(transfer.transferred ?? 0),
    total: Number.isFinite(size) && size > 0 ? size : undefined,
    phase: String(transfer.phase ?? ''),
  };
}

const barWidth = 10;

/** One line for a transfer: `up root.qcow2 [####......] 42 % 1.2 GiB`. */
export function formatProgress(transfer: TransferProgress, hasUnicode: boolean): string {
  const { name, isUpload, transferred, total, phase } = transfer;
  const direction = hasUnicode ? (isUpload ? '↑' : '↓') : isUpload ? 'up' : 'down';
  const state = phase === 'transferring' ? '' : ` ${phase}`;
  if (total === undefined) return `${direction} ${name} ${formatBytes(transferred)}${state}`;
  const share = Math.min(1, transferred / total);
  const filled = Math.round(share * barWidth);
  const [full, empty] = hasUnicode ? ['█', '░'] : ['#', '.'];
  const bar = full.repeat(filled) + empty.repeat(barWidth - filled);
  return `${direction} ${name} ${bar} ${Math.floor(share * 100)} % of ${formatBytes(total)}${state}`;
}
