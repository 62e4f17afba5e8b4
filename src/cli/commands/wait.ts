/** `vmctl wait`: wait for a state of objects of any kind. */
import { UsageError } from '../../client/errors.ts';
import { defineCommand, defineNoun, type Options } from '../args/command.ts';
import { defineArgument, defineFlag } from '../args/parameters.ts';
import type { CommandContext } from '../session/command-context.ts';
import { findKind } from '../verbs/collections.ts';
import { findVerb } from '../verbs/derive-verbs.ts';
import { deriveFlags } from '../verbs/flags.ts';
import { runVerb } from '../verbs/run-verb.ts';

async function runWaitCommand(
  cli: CommandContext,
  words: readonly string[],
  options: Options,
): Promise<void> {
  const byNoun = new Map<string, string[]>();
  for (const word of words) {
    const noun = findKind(word.slice(0, Math.max(0, word.indexOf('/'))));
    if (noun === undefined) {
      throw new UsageError(`${word}: kind missing`, { hint: `use vms/${word}` });
    }
    byNoun.set(noun, [...(byNoun.get(noun) ?? []), word]);
  }
  for (const noun of byNoun.keys()) {
    if (!findVerb(noun, 'wait')) {
      throw new UsageError(`${noun} have no single objects to wait for`);
    }
  }
  await Promise.all(
    [...byNoun].map(async ([noun, refs]) => {
      const verb = findVerb(noun, 'wait');
      if (!verb) return;
      const all = { ...options, waitTimeout: options['timeout'] };
      await runVerb(cli, verb, deriveFlags(verb), new Map(), refs, all);
    }),
  );
}

export default defineNoun({
  name: 'wait',
  doc: 'Wait for a state of objects',
  position: 70,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [
        defineArgument('<kind/ref...>', 'objects with their kind, for example vms/web01'),
      ],
      flags: [
        defineFlag(
          '--for <condition>',
          'condition: status=up, status!=locked, exists, gone, event=32 (default settled)',
        ),
        defineFlag('--timeout <duration>', 'timeout (default 10m)'),
        defineFlag('--on <kind/ref>', 'parent object, for example vms/web01'),
        defineFlag('--parallel <n>', 'number of concurrent objects, 1 to 16 (default 4)'),
      ],
      examples: [
        'vmctl wait vms/web01 --for status=up --timeout 5m',
        'vmctl wait disks/root hosts/node1',
        'vmctl wait nics/nic1 --on vms/web01 --for exists',
      ],
      unshowable: 'many',
      onlyReads: true,
      prints: ([words]) => (Array.isArray(words) && words.length > 1 ? 'outcomes' : 'outcome'),
      run: (cli, [words], options) => runWaitCommand(cli, words, options),
    }),
  ],
});
