/** Names of operations in the texts of faults. */

const actionWords: Readonly<Record<string, string>> = {
  start: 'run',
  update: 'edit',
  deactivate: 'switch to maintenance',
  suspend: 'hibernate',
};

/** The name of an operation in the texts of faults. */
export function getActionLabel(operation: string): string {
  return actionWords[operation] ?? operation.replaceAll('_', ' ');
}
