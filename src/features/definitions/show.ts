/** A plan printed for people and programs. */

import { formatOf, isTable, printAs } from '../../cli/output/print.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { write } from '../../cli/session/io.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import type { Change, Plan } from './plan.ts';

const signs: Readonly<Record<Change['action'], string>> = {
  create: '+',
  attach: '+',
  update: '~',
  start: '>',
};

/** Prints the plan on stdout. */
export async function showPlan(cli: CommandContext, { changes, fixed }: Plan): Promise<void> {
  const format = formatOf(cli);
  if (!isTable(format)) {
    const items = [
      ...changes.map(({ action, label, differences }) => ({ action, label, differences })),
      ...fixed.map(({ label, ...one }) => ({ action: 'impossible', label, differences: [one] })),
    ];
    const view = { noun: 'changes', items, columns: ['action', 'label'] };
    await printAs(cli, format, view, !cli.on('noHeaders'));
    return;
  }
  for (const { action, label, differences } of changes) {
    await line(cli, `${signs[action]} ${action} ${label}`);
    for (const { path, from, to } of differences) await line(cli, `    ${path}: ${from} -> ${to}`);
  }
  for (const { label, path, from, to } of fixed) {
    await line(
      cli,
      `! ${label}: ${path} is ${from}, not ${to}; cannot be changed on an existing object`,
    );
  }
}

async function line(cli: CommandContext, text: string): Promise<void> {
  await write(cli.io.stdout, `${escapeControlChars.line(text)}\n`);
}

/** `2 to create, 1 to update`. */
export function summaryOf({ changes, fixed }: Plan): string {
  const counts = new Map<string, number>();
  for (const { action } of changes) counts.set(action, (counts.get(action) ?? 0) + 1);
  const parts = [...counts].map(([action, count]) => `${count} to ${action}`);
  if (fixed.length > 0) parts.push(`${fixed.length} that cannot be changed`);
  return parts.length > 0 ? parts.join(', ') : 'no differences';
}
