/** `vmctl apply`: makes a service as a definition says. */
import { DeclinedError } from '../../client/errors.ts';
import { secretsIn } from '../../definitions/secrets.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { canAsk, confirm } from '../session/prompt.ts';
import { OperationRunner } from '../verbs/operation-runner.ts';
import { type Plan, planOf } from './definitions/plan.ts';
import { definitionFrom, fileFlag, fileOf } from './definitions/read.ts';
import { runPlan } from './definitions/run.ts';
import { secretsFor } from './definitions/secrets.ts';
import { showPlan, summaryOf } from './definitions/show.ts';

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
    throw new DeclinedError(`apply: ${summaryOf(plan)}, and nobody agreed`, {
      hint: '--yes agrees; --dry-run only shows what would be done',
    });
  }
  if (await confirm(cli.io, 'Do this?', cli.signal)) return;
  throw new DeclinedError('the answer was not yes; nothing was done');
}

export default noun({
  name: 'apply',
  doc: 'Make a service as a definition says',
  position: 90,
  commands: [
    command({
      arguments: [argument('[file]', 'a definition, YAML or JSON; - is stdin', { type: 'file' })],
      flags: [
        fileFlag,
        flag('--secret <name=@file>', 'fill a placeholder with what is in a file', {
          repeatable: true,
        }),
        flag('--wait-timeout <duration>', 'give up waiting for one object after this time (10m)'),
      ],
      notes: `Makes what is missing and changes what differs; nothing is removed. Shows the plan and asks first;
--yes agrees, --dry-run only shows it. What fails is told, and what does not need it is done all the
same. Passwords that the definition has placeholders for come from files (--secret), from variables
such as VMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD, or are asked for. vmctl help definitions shows what a
definition looks like.`,
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
