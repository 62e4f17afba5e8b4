/** `vmctl events report`: a custom event in the audit log. */
import { UsageError } from '../../client/errors.ts';
import { enums } from '../../model/enums.ts';
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { getSingular } from '../verbs/collections.ts';
import { findVerb } from '../verbs/derive-verbs.ts';
import { deriveFlags } from '../verbs/flags.ts';
import { parseOn } from '../verbs/resolve-collection.ts';
import { runVerb } from '../verbs/run-verb.ts';

interface ReportFlags {
  readonly severity: string;
  readonly origin: string;
  readonly customId?: string;
  readonly about?: string;
}

async function addEvent(cli: CommandContext, text: string, flags: ReportFlags): Promise<void> {
  const verb = findVerb('events', 'create');
  if (!verb) throw new Error('The model has no events.');
  const given = new Map([
    ['description', [text]],
    ['severity', [flags.severity]],
    ['origin', [flags.origin]],
    // Derived from the time, two reports of the same second would have the same id.
    ['customid', [flags.customId ?? String(Math.floor(Math.random() * 2 ** 31))]],
  ]);
  const verbFlags = deriveFlags(verb);
  if (flags.about !== undefined) {
    const { noun, word } = parseOn(flags.about, '--about');
    const key = getSingular(noun);
    if (!verbFlags.flags.some((flag) => flag.key === key)) {
      throw new UsageError(`--about ${flags.about}: ${noun} have no events`);
    }
    given.set(key, [word]);
  }
  await runVerb(cli, verb, verbFlags, given, [], {});
}

const reportCommand = defineCommand({
  verb: 'report',
  purpose: 'Add an event to the audit log',
  arguments: [defineArgument('<text>', 'text of the event')],
  flags: [
    defineFlag('--severity <word>', 'severity', {
      choices: [...enums.log_severity],
      default: 'normal',
    }),
    defineFlag('--origin <name>', 'origin of the event', { default: 'vmctl' }),
    defineFlag('--custom-id <n>', 'id, unique per origin (default: random)'),
    defineFlag('--about <kind/ref>', 'related object, for example vms/web01'),
  ],
  examples: [
    "vmctl events report 'backup done' --origin backup",
    "vmctl events report 'disk is nearly full' --severity warning --about vms/web01",
  ],
  prints: 'row',
  run: (cli, [text], flags) => addEvent(cli, text, flags),
});

export default defineNoun({ name: 'events', commands: [reportCommand] });
