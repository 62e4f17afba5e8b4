/** `vmctl events report`: writes an event of somebody else into the audit log. */
import { UsageError } from '../../client/errors.ts';
import { enums } from '../../model/enums.ts';
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { singular } from '../verbs/collections.ts';
import { verbOf } from '../verbs/derive-verbs.ts';
import { flagsOf } from '../verbs/flags.ts';
import { parseOn } from '../verbs/resolve-collection.ts';
import { runVerb } from '../verbs/run-verb.ts';

interface ReportFlags {
  readonly severity: string;
  readonly origin: string;
  readonly customId?: string;
  readonly about?: string;
}

async function report(cli: CommandContext, text: string, flags: ReportFlags): Promise<void> {
  const verb = verbOf('events', 'create');
  if (!verb) throw new Error('The model has no events.');
  const given = new Map([
    ['description', [text]],
    ['severity', [flags.severity]],
    ['origin', [flags.origin]],
    // By the time, two reports of the same second would be one.
    ['customid', [flags.customId ?? String(Math.floor(Math.random() * 2 ** 31))]],
  ]);
  const verbFlags = flagsOf(verb);
  if (flags.about !== undefined) {
    const { noun, word } = parseOn(flags.about, '--about');
    const key = singular(noun);
    if (!verbFlags.flags.some((flag) => flag.key === key)) {
      throw new UsageError(`--about ${flags.about}: ${noun} have no events`);
    }
    given.set(key, [word]);
  }
  await runVerb(cli, verb, verbFlags, given, [], {});
}

const reportCommand = command({
  verb: 'report',
  purpose: 'Add an event to the audit log',
  arguments: [argument('<text>', 'text of the event')],
  flags: [
    flag('--severity <word>', 'severity', {
      choices: [...enums.log_severity],
      default: 'normal',
    }),
    flag('--origin <name>', 'origin of the event', { default: 'vmctl' }),
    flag('--custom-id <n>', 'id, unique per origin (default: random)'),
    flag('--about <kind/ref>', 'related object, for example vms/web01'),
  ],
  examples: [
    "vmctl events report 'backup done' --origin backup",
    "vmctl events report 'disk is nearly full' --severity warning --about vms/web01",
  ],
  prints: 'row',
  run: (cli, [text], flags) => report(cli, text, flags),
});

export default noun({ name: 'events', commands: [reportCommand] });
