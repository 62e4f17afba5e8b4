/** `vmctl vms create`: checks what was asked for, and makes one machine or several. */
import { UsageError } from '../../../../client/errors.ts';
import { parseValue } from '../../../args/values.ts';
import type { Progress } from '../../../output/progress.ts';
import { type CommandContext, wholeNumber } from '../../../session/command-context.ts';
import { commandLine } from '../../../session/command-line.ts';
import { bodiesOf, runWorks } from '../../../verbs/change.ts';
import { verbOf } from '../../../verbs/derive-verbs.ts';
import { bodyOf, type Run } from '../../../verbs/run.ts';
import { commandOf } from '../../../verbs/verb-command.ts';
import { waitTimeout } from '../../../verbs/wait-for-state.ts';
import { isFileWord } from './image-word.ts';
import { type InitializationFlags, initializationOf, numbered } from './initialization.ts';
import { type MachineWishes, NewMachine } from './new-machine.ts';
import { findParts } from './parts.ts';

/** The flags that the command has beside those of the model. */
export interface CreateFlags extends InitializationFlags {
  readonly image?: string;
  readonly diskInterface?: string;
  readonly network?: readonly string[];
  readonly start?: boolean;
  readonly waitFor?: 'up' | 'ip';
  readonly count?: string;
  readonly cleanup?: boolean;
  readonly verify: boolean;
  readonly parallel?: string;
  readonly failFast?: boolean;
  /** Of the verb of the model, as all others that are handed over. */
  readonly wait?: boolean;
  readonly waitTimeout?: string;
}

const maxMachines = 1_000;

/** Makes the machines that the flags describe, `flags` with those of the model among them. */
export async function runCreate(
  cli: CommandContext,
  words: readonly unknown[],
  flags: CreateFlags,
): Promise<void> {
  checkFlags(flags);
  const count = countOf(flags);
  const wishes = wishesOf(flags, count);
  const initialization = await initializationOf(cli, flags);
  const verb = verbOf('vms', 'create');
  if (!verb) throw new Error('The model cannot create machines.');
  const perform = async (run: Run) => {
    const [sent = {}] = await bodiesOf(run, await bodyOf(run));
    const names = namesOf((sent as { readonly name?: unknown }).name, count);
    const wanted = { image: flags.image, networks: flags.network ?? [], initialization };
    const parts = await findParts(run, sent, wanted);
    if (parts.image && 'disk' in parts.image && names.length > 1) {
      throw new UsageError('--image is one disk, and only one VM can boot from it', {
        hint: 'use an image file, or a template of the disk: vmctl templates create',
      });
    }
    const begun: Promise<unknown>[] = [];
    const works = names.map(({ name, suffix }) => {
      const { initialization: first } = parts.body;
      const body = {
        ...parts.body,
        ...(name === undefined ? {} : { name }),
        ...(first === undefined
          ? {}
          : { initialization: numbered(first as Readonly<Record<string, unknown>>, suffix) }),
      };
      const machine = new NewMachine(run, { ...parts, body }, wishes);
      return (progress: Progress) => {
        const made = machine.make(progress);
        begun.push(made);
        return made;
      };
    });
    if (cli.dryRunMode) noteStandIns(cli, flags);
    // What is being taken back is finished before the connections are closed.
    await runWorks(run, works).finally(() => Promise.allSettled(begun));
    const hasFirstStart = initialization !== undefined && !flags.start && !cli.dryRunMode;
    if (hasFirstStart) {
      const words = names.map(({ name = 'NAME' }) => name);
      const start = commandLine(cli, ['vms', 'start', ...words, '--use-cloud-init']);
      cli.note(`to apply the settings of the first start: ${start}`);
    }
  };
  await commandOf(verb, {}, perform).run(cli, words, { ...flags }, {});
}

/** Refuses what contradicts itself, before anything is read or sent. */
function checkFlags(flags: CreateFlags): void {
  const { image, start, waitFor, wait, diskInterface, network, count, cleanup } = flags;
  if (waitFor !== undefined && !start) {
    throw new UsageError(`--wait-for ${waitFor} needs --start`, {
      hint: 'a VM that is not started has no address and is never up',
    });
  }
  const [step] = [
    ...(start ? ['--start'] : []),
    ...(image === undefined ? [] : ['--image']),
    ...(network === undefined ? [] : ['--network']),
    ...(cleanup ? ['--cleanup'] : []),
  ];
  if (wait === false && step !== undefined) {
    throw new UsageError(`${step} and --no-wait exclude each other`, {
      hint: 'later steps need the created VM',
    });
  }
  if (image === '') throw new UsageError('--image is empty');
  if (image === '-') {
    throw new UsageError('--image -: standard input is not supported', {
      hint: 'upload it with vmctl disks upload - --name NAME, then use --image disks/NAME',
    });
  }
  for (const one of network ?? []) if (one === '') throw new UsageError('--network is empty');
  if (diskInterface !== undefined && image === undefined) {
    throw new UsageError('--disk-interface requires --image');
  }
  if (!flags.verify && (image === undefined || !isFileWord(image))) {
    throw new UsageError('--no-verify requires --image with a file');
  }
  for (const [given, name] of [
    [flags.parallel, '--parallel'],
    [flags.failFast, '--fail-fast'],
  ]) {
    if (given !== undefined && count === undefined) throw new UsageError(`${name} needs --count`);
  }
}

function countOf({ count: text }: CreateFlags): number | undefined {
  const count = wholeNumber(text, '--count');
  if (count === undefined || count <= maxMachines) return count;
  throw new UsageError(`--count ${text}: more than ${maxMachines}`);
}

function wishesOf(flags: CreateFlags, count: number | undefined): MachineWishes {
  const { diskInterface = 'virtio_scsi', waitFor } = flags;
  parseValue(diskInterface, { kind: 'enum disk_interface' }, '--disk-interface');
  const addressPatience = waitTimeout(flags);
  return {
    diskInterface,
    start: flags.start === true,
    ...(waitFor === 'ip' ? { addressPatience } : {}),
    cleanup: flags.cleanup === true,
    verify: flags.verify,
    isOneOfMany: count !== undefined && count > 1,
  };
}

interface NumberedName {
  readonly name: string | undefined;
  /** What was put behind the name: `-01`. */
  readonly suffix: string;
}

/** The names of the machines: the one that was given, or as many with numbers of equal width. */
function namesOf(name: unknown, count: number | undefined): readonly NumberedName[] {
  const given = typeof name === 'string' ? name : undefined;
  if (count === undefined) return [{ name: given, suffix: '' }];
  if (given === undefined) throw new UsageError('--count requires a name');
  const width = String(count).length;
  return Array.from({ length: count }, (_, index) => {
    const suffix = `-${String(index + 1).padStart(width, '0')}`;
    return { name: `${given}${suffix}`, suffix };
  });
}

/** What a dry run cannot know. */
function noteStandIns(cli: CommandContext, { image, network, start, waitFor }: CreateFlags): void {
  if (image === undefined && network === undefined && !start) return;
  const later = [
    ...(image !== undefined && isFileWord(image) ? ['the image data'] : []),
    ...(waitFor === 'ip' ? ['requests for the address'] : []),
  ];
  const more = later.length > 0 ? `; ${later.join(' and ')} would follow` : '';
  cli.note(`ID-of-NAME is a placeholder for unknown ids${more}`);
}
