/** Command `vmctl diff`: compares a service with a definition. */

import { getErrorMessage } from '../../caught-errors.ts';
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { createPlan } from './plan.ts';
import { fileFlag, loadDefinition, requireFile } from './read.ts';
import { showPlan, summarizePlan } from './show.ts';

/** Exit code if differences are found. */
const differencesFound = 11;

/** Exit codes of diff(1) for differences and for errors, with `--exit-code`. */
const likeDiff = { differences: 1, trouble: 2 } as const;

async function diff(
  cli: CommandContext,
  file: string,
  { exitCode = false }: { readonly exitCode?: boolean },
): Promise<void> {
  try {
    const definition = await loadDefinition(cli, file);
    const plan = await createPlan(await OperationRunner.create(cli, {}), definition);
    await showPlan(cli, plan);
    cli.note(summarizePlan(plan));
    if (plan.changes.length + plan.fixed.length === 0) return;
    cli.exitCode = exitCode ? likeDiff.differences : differencesFound;
  } catch (error) {
    if (!exitCode || cli.signal.aborted) throw error;
    throw toTrouble(error);
  }
}

/** The same error with exit code 2, because 1 means differences. */
function toTrouble(error: unknown): UsageError {
  if (!(error instanceof VmctlError)) {
    return new UsageError(getErrorMessage(error), {
      code: 'bug',
      hint: 'this is a bug in vmctl; run again with --debug and report it',
      cause: error,
    });
  }
  const { message, code, hint, status, fault, request, retryable, next } = error;
  return new UsageError(message, {
    ...{ code, retryable, next, cause: error },
    ...(hint === undefined ? {} : { hint }),
    ...(status === undefined ? {} : { status }),
    ...(fault === undefined ? {} : { fault }),
    ...(request === undefined ? {} : { request }),
  });
}

export default defineNoun({
  name: 'diff',
  doc: 'Compare a service with a definition',
  position: 100,
  section: 'Configure',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[file]', 'definition, YAML or JSON; - for stdin', { type: 'file' }),
      ],
      flags: [
        fileFlag,
        defineFlag('--exit-code', 'exit codes of diff(1): 0 equal, 1 different, 2 error'),
      ],
      notes:
        'Exit code 11: differences found. With --exit-code: 1 for differences, and 2 for every error. See vmctl ' +
        'help definitions.',
      examples: ['vmctl diff site.yaml', 'vmctl export | vmctl diff - --exit-code'],
      exits: [differencesFound],
      unshowable: 'many',
      prints: 'report',
      run: (cli, [file], flags) => diff(cli, requireFile(file, flags), flags),
    }),
  ],
});
