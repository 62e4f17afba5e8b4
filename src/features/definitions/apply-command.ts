/** Command `vmctl apply`: applies a definition to a service. */

import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { canPrompt, confirm } from '../../cli/session/prompt.ts';
import { OperationRunner } from '../../cli/verbs/operation-runner.ts';
import { DeclinedError, UsageError } from '../../client/errors.ts';
import { listSecrets } from '../../definitions/secrets.ts';
import type { Plan } from './changes.ts';
import { createPlan } from './plan.ts';
import { fileFlag, loadDefinition, requireFile } from './read.ts';
import { runPlan } from './run.ts';
import { collectSecrets } from './secrets.ts';
import { showPlan, summarizePlan } from './show.ts';

interface ApplyFlags {
  readonly secret?: readonly string[];
  readonly waitTimeout?: string;
  readonly prune?: boolean;
  readonly tag?: string;
}

async function apply(cli: CommandContext, file: string, flags: ApplyFlags): Promise<void> {
  const tag = requireTag(flags);
  const definition = await loadDefinition(cli, file);
  const runner = await OperationRunner.create(cli, { waitTimeout: flags.waitTimeout });
  const pruned = tag === undefined ? undefined : (await runner.find(tag, '/tags')).id;
  const plan = await createPlan(runner, definition, pruned);
  await showPlan(cli, plan);
  cli.note(summarizePlan(plan));
  const count = plan.changes.length + plan.deletions.length;
  if (count === 0 || cli.isOn('dryRun')) return;
  const needed = plan.changes.flatMap(({ secrets }) => secrets);
  const all = listSecrets(Object.values(definition.definition));
  const secrets = await collectSecrets(cli, flags.secret ?? [], all, needed);
  await confirmPlan(cli, plan);
  await runPlan(cli, plan, (name) => secrets.get(name) ?? '');
}

/** Returns the tag of the objects to prune; undefined without `--prune`. */
function requireTag({ prune, tag }: ApplyFlags): string | undefined {
  if (prune && tag === undefined) {
    throw new UsageError('--prune requires --tag', {
      hint: 'add --tag NAME: apply deletes only VMs and templates with this tag',
    });
  }
  if (!prune && tag !== undefined) {
    throw new UsageError('--tag requires --prune', { hint: 'add --prune' });
  }
  return tag;
}

async function confirmPlan(cli: CommandContext, plan: Plan): Promise<void> {
  if (cli.isOn('yes')) return;
  const deleted = plan.deletions.map(({ label }) => label).join(', ');
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    const names = deleted === '' ? '' : `; deletes ${deleted}`;
    throw new DeclinedError(`apply needs confirmation: ${summarizePlan(plan)}${names}`, {
      hint: 'confirm with --yes; --dry-run shows the plan only',
    });
  }
  const question =
    deleted === '' ? 'Apply these changes?' : `Apply these changes, and delete ${deleted}?`;
  if (await confirm(cli.io, question, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}

export default defineNoun({
  name: 'apply',
  doc: 'Apply a definition to a service',
  position: 90,
  section: 'Configure',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('[file]', 'definition, YAML or JSON; - for stdin', { type: 'file' }),
      ],
      flags: [
        fileFlag,
        defineFlag(
          '--secret <name=@file>',
          'read a secret from a file; NAME is TYPE/OBJECT/ATTRIBUTE',
          {
            repeatable: true,
          },
        ),
        defineFlag('--prune', 'delete objects with the tag that the definition does not contain'),
        defineFlag('--tag <tag>', 'with --prune: tag of VMs and templates (name or id)', {
          type: 'ref tag',
        }),
        defineFlag('--wait-timeout <duration>', 'timeout per object (default 10m)'),
      ],
      notes: `The command creates missing objects and updates objects that differ; it deletes only with --prune. vmctl shows the\nplan and asks for confirmation; --yes confirms, --dry-run only shows the plan. If an object fails, apply continues with the objects\nthat do not depend on it. Secrets come from --secret, from variables such as\nVMCTL_SECRET_HOSTS_H1_ROOT_PASSWORD, or from a prompt. See vmctl help definitions.`,
      examples: [
        'vmctl apply site.yaml --dry-run',
        'vmctl apply site.yaml --yes',
        'vmctl apply site.yaml --prune --tag web --dry-run',
        "vmctl apply site.yaml --secret 'hosts/*/root_password=@password.txt'",
      ],
      exits: [9],
      prints: 'report',
      run: (cli, [file], flags) => apply(cli, requireFile(file, flags), flags),
    }),
  ],
});
