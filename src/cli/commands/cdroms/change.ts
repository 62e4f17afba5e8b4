/** `vmctl cdroms change VM ISO`. */
import { UsageError } from '../../../client/errors.ts';
import type { Options } from '../../args/command.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { findVerb } from '../../verbs/derive-verbs.ts';
import { isUuid } from '../../verbs/identifiers.ts';
import { createVerbCommand } from '../../verbs/verb-command.ts';

/** Flags that set the image without an argument. */
const bodyFlags = ['file', 'fromFile', 'set', 'setJson', 'name', 'description', 'comment'];

/** Changes the image. With `--vm` or `--on`, the arguments are the drive and the image. */
export async function changeDisc(
  cli: CommandContext,
  positionals: readonly unknown[],
  flags: Options,
): Promise<void> {
  const verb = findVerb('cdroms', 'change');
  if (!verb) throw new Error('The model has no CD-ROM drives.');
  const words = positionals.filter((word) => typeof word === 'string');
  const isNamed = flags['vm'] !== undefined || flags['on'] !== undefined;
  const isSelected = flags['all'] === true || flags['glob'] === true;
  const drive = isNamed && words[0] !== undefined && isUuid(words[0]) ? words[0] : undefined;
  const [first, second, ...surplus] =
    isNamed && drive === undefined ? [undefined, ...words] : words;
  if (surplus.length > 0) {
    throw new UsageError(`cdroms change: unexpected argument "${surplus[0]}"`, {
      hint: 'vmctl cdroms change --vm VM ISO',
    });
  }
  if (!isNamed && first === undefined) {
    throw new UsageError('cdroms change: no VM given', { hint: 'vmctl cdroms change VM ISO' });
  }
  if (second !== undefined && flags['file'] !== undefined) {
    throw new UsageError('cdroms change: two ISO images given', {
      hint: 'use the argument or --file',
    });
  }
  const isSet = second !== undefined || bodyFlags.some((name) => flags[name] !== undefined);
  if (!isSet) {
    throw new UsageError('cdroms change: no ISO image given', {
      hint: 'vmctl cdroms change VM ISO; to eject the CD: vmctl cdroms eject VM',
    });
  }
  const options = {
    ...flags,
    ...(isNamed ? {} : { vm: first }),
    ...(second === undefined ? {} : { file: second }),
  };
  const rest = drive === undefined || isSelected ? [] : [drive];
  await createVerbCommand(verb).run(cli, [rest], options, {});
}
