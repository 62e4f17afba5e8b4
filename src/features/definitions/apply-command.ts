/** `vmctl apply`: makes a service as a definition says. */

import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { canAsk, confirm } from '../../cli/session/prompt.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { DeclinedError } from '../../client/errors.ts';
import { secretsIn } from '../../definitions/secrets.ts';
import { type Plan, planOf } from './plan.ts';
import { definitionFrom, fileFlag, fileOf } from './read.ts';
import { runPlan } from './run.ts';
import { secretsFor } from './secrets.ts';
import { showPlan, summaryOf } from './show.ts';

interface ApplyFlags {
  readonly secret?: readonly string[];
  readonly waitTimeout?: string;
}

async function apply(cli: CommandContext, file: string, flags: ApplyFlags): Promise<void> {
  const definition = await definitionFrom(cli, file);
  const runner = await OperationRunner.begin(cli, { waitTimeout: flags.waitTimeout });
  const plan = await planOf(runner, definition);
  await showPlan(cli, plan);
  cli.note(summaryOf(plan));
  if (plan.changes.length === 0 || cli.on('dryRun')) return;
  const needed = plan.changes.flatMap(({ secrets }) => secrets);
  const all = secretsIn(Object.values(definition.definition));
  const secrets = await secretsFor(cli, flags.secret ?? [], all, needed);
  await agree(cli, plan);
  await runPlan(cli, plan, (name) => secrets.get(name) ?? '');
}

async function agree(cli: CommandContext, plan: Plan): Promise<void> {
  if (cli.on('yes')) return;
  if (!canAsk(cli.io, cli.on('noInput'))) {
    throw new DeclinedError(`apply needs confirmation: ${summaryOf(plan)}`, {
      hint: 'confirm with --yes; --dry-run shows the plan only',
    });
  }
  if (await confirm(cli.io, 'Apply these changes?', cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}

export default noun({
  name: 'apply',
  doc: 'Apply a definition to a service',
  position: 90,
  section: 'Configure',
  commands: [
    command({
      arguments: [argument('[file]', 'definition, YAML or JSON; - for stdin', { type: 'file' })],
      flags: [
        fileFlag,
        flag('--secret <name=@file>', 'read a secret from a file; NAME is TYPE/OBJECT/ATTRIBUTE', {
          repeatable: true,
        }),
        flag('--wait-timeout <duration>', 'timeout per object (default 10m)'),
      ],
      notes: `The command creates missing objects and updates objects that differ; it never deletes. vmctl shows the plan and asks for\nconfirmation; --yes confirms, --dry-run only shows the plan. If an object fails, apply continues with the objects that do not\ndepend on it. Secrets come from --secret, from variables such as\nVMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD, or from a prompt. See vmctl help definitions.`,
      examples: [
        'vmctl apply site.yaml --dry-run',
        'vmctl apply site.yaml --yes',
        "vmctl apply site.yaml --secret 'hosts/*/root_password=@password.txt'",
      ],
      exits: [9],
      prints: 'report',
      run: (cli, [file], flags) => apply(cli, fileOf(file, flags), flags),
    }),
  ],
});
