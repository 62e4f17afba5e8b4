/** Snapshots of a VM as a tree, for `vmctl snapshots list --tree`. */

import type { ApiObject } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import type { Resource } from '../../model/resource.ts';
import { getFormat, isTable } from '../output/print.ts';
import { supportsUtf8 } from '../text/display-width.ts';
import type { Run } from './run.ts';

type Snapshot = Pick<
  Resource<'snapshot'>,
  'id' | 'description' | 'date' | 'snapshot_type' | 'snapshot_status'
>;

/** Snapshot with the lines of the tree before its description. */
export interface SnapshotRow<S> {
  readonly snapshot: S;
  readonly prefix: string;
  /** Whether it is the current state of the VM. */
  readonly isCurrent: boolean;
}

/**
 * Orders snapshots as a tree, parents first. Each snapshot follows the next older one. The current
 * state follows the previewed snapshot during a preview, otherwise the newest one; the state before
 * the preview follows the newest one.
 */
export function arrangeSnapshots<S extends Snapshot>(
  snapshots: readonly S[],
  env: Readonly<Record<string, string | undefined>>,
): readonly SnapshotRow<S>[] {
  const isState = ({ snapshot_type: type }: S) => type === 'active' || type === 'preview';
  const chain = snapshots
    .filter((one) => !isState(one))
    .sort((a, b) => Date.parse(String(a.date)) - Date.parse(String(b.date)));
  const children = new Map<S | undefined, S[]>();
  const addChild = (parent: S | undefined, child: S) =>
    children.set(parent, [...(children.get(parent) ?? []), child]);
  chain.forEach((one, index) => {
    addChild(chain[index - 1], one);
  });
  const previewed = chain.find(({ snapshot_status: status }) => status === 'in_preview');
  for (const state of snapshots.filter(isState)) {
    const isActive = state.snapshot_type === 'active';
    addChild((isActive ? previewed : undefined) ?? chain.at(-1), state);
  }
  const lines = supportsUtf8(env)
    ? { last: '└─ ', other: '├─ ', past: '│  ' }
    : { last: '`- ', other: '|- ', past: '|  ' };
  const rows: SnapshotRow<S>[] = [];
  const visit = (parent: S | undefined, indent: string, isRoot: boolean) => {
    const all = children.get(parent) ?? [];
    all.forEach((snapshot, index) => {
      const isLast = index === all.length - 1;
      const prefix = isRoot ? '' : indent + (isLast ? lines.last : lines.other);
      rows.push({ snapshot, prefix, isCurrent: snapshot.snapshot_type === 'active' });
      visit(snapshot, isRoot ? '' : indent + (isLast ? '   ' : lines.past), false);
    });
  };
  visit(undefined, '', true);
  return rows;
}

/** Whether the list is printed as a tree. Throws `UsageError` for conflicting flags. */
export function isTree({ cli, options, query }: Run): boolean {
  if (options['tree'] !== true) return false;
  const format = getFormat(cli);
  const columns = cli.setting('columns')?.value;
  const refused = [
    [!isTable(format), `-o ${format}`],
    [cli.isOn('query'), '--query'],
    [cli.isOn('sort'), '--sort'],
    [query['max'] !== undefined || options['limit'] !== undefined, '--limit'],
    [options['watch'] !== undefined, '--watch'],
    [columns !== undefined && !columns.split(',').includes('description'), `--columns ${columns}`],
  ] as const;
  const flag = refused.find(([isGiven]) => isGiven)?.[1];
  if (flag === undefined) return true;
  throw new UsageError(`--tree is not valid with ${flag}`, {
    hint:
      columns !== undefined && flag.startsWith('--columns')
        ? `--columns description,${columns}`
        : 'remove one of them; --tree prints the description column of a table as a tree',
  });
}

/** Adds the lines of the tree to the descriptions, and marks the current state. */
export function drawTree(
  snapshots: readonly ApiObject[],
  env: Readonly<Record<string, string | undefined>>,
): readonly ApiObject[] {
  return arrangeSnapshots<ApiObject & Snapshot>(snapshots, env).map(
    ({ snapshot, prefix, isCurrent }) => ({
      ...snapshot,
      description: `${prefix}${snapshot.description ?? ''}${isCurrent ? ' (current state)' : ''}`,
    }),
  );
}
