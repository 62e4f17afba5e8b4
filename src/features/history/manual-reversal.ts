/** Commands to type for changes whose undo would stop work: a started VM. */
import type { CommandContext } from '../../cli/session/command-context.ts';
import { formatCommandLine } from '../../cli/session/command-line.ts';
import type { UndoStep } from './inverse.ts';

/** Verbs that revert an operation on VMs, but stop or begin the work of the VM. */
const reversals: Readonly<Record<string, string>> = {
  start: 'stop',
  stop: 'start',
  shutdown: 'start',
  suspend: 'start',
};

/**
 * Returns a hint with the commands that revert the steps without an inverse, and delete VMs that
 * the same command created. Undefined if one of these steps has no such command.
 */
export function suggestCommands(
  cli: CommandContext,
  steps: readonly UndoStep[],
): string | undefined {
  const created = new Set(
    steps.flatMap(({ label, inverse }) =>
      inverse?.kind === 'remove' && inverse.isDeletion ? [label] : [],
    ),
  );
  const lines: string[] = [];
  let isCreated = false;
  for (const { label, inverse, step } of steps) {
    if (inverse) continue;
    const [noun = '', name = ''] = splitLabel(label);
    const verb = reversals[step.operation ?? ''];
    if (noun !== 'vms' || verb === undefined) return undefined;
    lines.push(formatCommandLine(cli, [noun, verb, name]));
    if (!created.has(label)) continue;
    isCreated = true;
    lines.push(formatCommandLine(cli, [noun, 'delete', name]));
  }
  if (lines.length === 0) return undefined;
  const hasRest = !isCreated && steps.some(({ inverse }) => inverse !== undefined);
  return `to revert it: ${lines.join(' && ')}${hasRest ? '; use --force to undo the rest' : ''}`;
}

function splitLabel(label: string): readonly string[] {
  const at = label.indexOf('/');
  return [label.slice(0, at), label.slice(at + 1)];
}
