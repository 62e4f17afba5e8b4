/** Transfers of disk images that are under way, for the status line. */

import { humanBytes } from '../../cli/output/cells.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import type { ApiObject } from '../../client/client.ts';

/** How far a transfer is. */
export interface TransferProgress {
  readonly name: string;
  readonly isUpload: boolean;
  /** Bytes. */
  readonly transferred: number;
  /** Bytes; nothing where the disk does not say. */
  readonly total: number | undefined;
  readonly phase: string;
}

const over = /^finished|^cancelled/;

/** The transfers that are not over. */
export async function readTransfers(cli: CommandContext): Promise<readonly TransferProgress[]> {
  const runner = await OperationRunner.begin(cli, {});
  const all = await runner.list({ path: '/imagetransfers', follow: 'disk' });
  return all.filter(({ phase }) => !over.test(String(phase))).map(progressOf);
}

function progressOf(transfer: ApiObject): TransferProgress {
  const disk = (transfer['disk'] ?? transfer['image'] ?? {}) as ApiObject;
  const size = Number(disk['provisioned_size'] ?? disk['total_size']);
  return {
    name: String(disk['alias'] ?? disk['name'] ?? disk['id'] ?? transfer['id']),
    isUpload: transfer['direction'] !== 'download',
    transferred: Number(transfer['transferred'] ?? 0),
    total: Number.isFinite(size) && size > 0 ? size : undefined,
    phase: String(transfer['phase'] ?? ''),
  };
}

const barWidth = 10;

/** `up root.qcow2 [####......] 42 % 1.2 GiB`: one transfer in a few words. */
export function progressText(transfer: TransferProgress, hasUnicode: boolean): string {
  const { name, isUpload, transferred, total, phase } = transfer;
  const direction = hasUnicode ? (isUpload ? '↑' : '↓') : isUpload ? 'up' : 'down';
  const state = phase === 'transferring' ? '' : ` ${phase}`;
  if (total === undefined) return `${direction} ${name} ${humanBytes(transferred)}${state}`;
  const share = Math.min(1, transferred / total);
  const filled = Math.round(share * barWidth);
  const [full, empty] = hasUnicode ? ['█', '░'] : ['#', '.'];
  const bar = full.repeat(filled) + empty.repeat(barWidth - filled);
  return `${direction} ${name} ${bar} ${Math.floor(share * 100)} % of ${humanBytes(total)}${state}`;
}
