/** Output of a plan, as text or structured data. */

import { getFormat, isTable, printAs } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { Change, Plan } from './changes.ts';

const actionSigns: Readonly<Record<Change['action'], string>> = {
  create: '+',
  attach: '+',
  update: '~',
  start: '>',
  delete: '-',
};

/** Prints the plan on standard output, deletions first. */
export async function showPlan(cli: CommandContext, plan: Plan): Promise<void> {
  const { fixed, kept } = plan;
  const changes = [...plan.deletions, ...plan.changes];
  const format = getFormat(cli);
  if (!isTable(format)) {
    const items = [
      ...changes.map(({ action, label, differences }) => ({ action, label, differences })),
      ...fixed.map(({ label, ...one }) => ({ action: 'impossible', label, differences: [one] })),
      ...kept.map(({ label, reason }) => ({ action: 'keep', label, reason, differences: [] })),
    ];
    const view = { noun: 'changes', items, columns: ['action', 'label'] };
    await printAs(cli, format, view, !cli.isOn('noHeaders'));
    return;
  }
  for (const { action, label, differences } of changes) {
    await writeLine(cli, `${actionSigns[action]} ${action} ${label}`);
    for (const { path, from, to } of differences)
      await writeLine(cli, `    ${path}: ${from} -> ${to}`);
  }
  for (const { label, path, from, to } of fixed) {
    await writeLine(
      cli,
      `! ${label}: ${path} is ${from}, not ${to}; cannot be changed on an existing object`,
    );
  }
  for (const { label, reason } of kept) {
    await writeLine(cli, `! ${label}: not deleted, because ${reason}`);
  }
}

async function writeLine(cli: CommandContext, text: string): Promise<void> {
  await write(cli.io.stdout, `${escapeControlChars.line(text)}\n`);
}

/** Summary of a plan: `2 to create, 1 to update`. */
export function summarizePlan({ deletions, changes, fixed, kept }: Plan): string {
  const counts = new Map<string, number>();
  for (const { action } of [...deletions, ...changes])
    counts.set(action, (counts.get(action) ?? 0) + 1);
  const parts = [...counts].map(([action, count]) => `${count} to ${action}`);
  if (fixed.length > 0) parts.push(`${fixed.length} that cannot be changed`);
  if (kept.length > 0) parts.push(`${kept.length} that cannot be deleted`);
  return parts.length > 0 ? parts.join(', ') : 'no differences';
}
