/** `vmctl vms create`: validation of the flags, and creation of one or more VMs. */

import { UsageError } from '../../../../client/errors.ts';
import { isRecord } from '../../../../records.ts';
import { parseValue } from '../../../args/values.ts';
import type { Progress } from '../../../output/progress.ts';
import { type CommandContext, parseCount } from '../../../session/command-context.ts';
import { formatCommandLine } from '../../../session/command-line.ts';
import { getObject } from '../../../text/objects.ts';
import { createBodies, runWorks } from '../../../verbs/change.ts';
import { findVerb } from '../../../verbs/derive-verbs.ts';
import { buildRunBody, type Run } from '../../../verbs/run.ts';
import { createVerbCommand } from '../../../verbs/verb-command.ts';
import { parseWaitTimeout } from '../../../verbs/wait-for-state.ts';
import { isFileOrUrl } from './image-reference.ts';
import { addNumber, createInitialization, type InitializationFlags } from './initialization.ts';
import { resolveParts } from './parts.ts';
import { type CreationOptions, VmCreation } from './vm-creation.ts';

/** Flags of the command in addition to those of the model. */
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
  /** Flags of the model's verb. */
  readonly wait?: boolean;
  readonly waitTimeout?: string;
}

const maxVms = 1_000;

/** Creates the VMs. `flags` includes those of the model. */
export async function runCreate(
  cli: CommandContext,
  words: readonly unknown[],
  flags: CreateFlags,
): Promise<void> {
  checkFlags(flags);
  const count = parseMachineCount(flags);
  if (flags.ip !== undefined && count !== undefined && count > 1) {
    throw new UsageError('--ip is one address, and --count creates several VMs', {
      hint: 'create each VM with its own --ip',
    });
  }
  const wishes = createOptions(flags, count);
  const initialization = await createInitialization(cli, flags);
  const verb = findVerb('vms', 'create');
  if (!verb) throw new Error('The model cannot create VMs.');
  const perform = async (run: Run) => {
    const [sent = {}] = await createBodies(run, await buildRunBody(run));
    const names = createNames(isRecord(sent) ? sent['name'] : undefined, count);
    const wanted = { image: flags.image, networks: flags.network ?? [], initialization };
    const parts = await resolveParts(run, sent, wanted);
    if (parts.image && 'disk' in parts.image && names.length > 1) {
      throw new UsageError('--image is one disk, and only one VM can boot from it', {
        hint: 'use an image file, or a template of the disk: vmctl templates create',
      });
    }
    const begun: Promise<unknown>[] = [];
    const works = names.map(({ name, suffix }) => {
      const first = getObject(parts.body, 'initialization');
      const body = {
        ...parts.body,
        ...(name === undefined ? {} : { name }),
        ...(first === undefined ? {} : { initialization: addNumber(first, suffix) }),
      };
      const vm = new VmCreation(run, { ...parts, body }, wishes);
      return (progress: Progress) => {
        const made = vm.create(progress);
        begun.push(made);
        return made;
      };
    });
    if (cli.dryRunMode) notePlaceholders(cli, flags);
    // Pending cleanups must end before the connections close.
    await runWorks(run, works).finally(() => Promise.allSettled(begun));
    const hasFirstStart = initialization !== undefined && !flags.start && !cli.dryRunMode;
    if (hasFirstStart) {
      const words = names.map(({ name = 'NAME' }) => name);
      const start = formatCommandLine(cli, ['vms', 'start', ...words, '--use-cloud-init']);
      cli.note(`to apply the settings of the first start: ${start}`);
    }
  };
  await createVerbCommand(verb, {}, perform).run(cli, words, { ...flags }, {});
}

/** Throws `UsageError` for contradictory flags, before the first request. */
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
  if (!flags.verify && (image === undefined || !isFileOrUrl(image))) {
    throw new UsageError('--no-verify requires --image with a file');
  }
  for (const [given, name] of [
    [flags.parallel, '--parallel'],
    [flags.failFast, '--fail-fast'],
  ]) {
    if (given !== undefined && count === undefined) throw new UsageError(`${name} needs --count`);
  }
}

function parseMachineCount({ count: text }: CreateFlags): number | undefined {
  const count = parseCount(text, '--count');
  if (count === undefined || count <= maxVms) return count;
  throw new UsageError(`--count ${text}: more than ${maxVms}`);
}

function createOptions(flags: CreateFlags, count: number | undefined): CreationOptions {
  const { diskInterface: text = 'virtio_scsi', waitFor } = flags;
  const diskInterface = parseValue(text, { kind: 'enum disk_interface' }, '--disk-interface');
  const addressTimeoutMs = parseWaitTimeout(flags);
  return {
    diskInterface,
    start: flags.start === true,
    ...(waitFor === 'ip' ? { addressTimeoutMs } : {}),
    cleanup: flags.cleanup === true,
    verify: flags.verify,
    isOneOfMany: count !== undefined && count > 1,
  };
}

interface NumberedName {
  readonly name: string | undefined;
  /** Suffix of the name: `-01`. */
  readonly suffix: string;
}

/** Returns the names of the VMs: the given one, or numbered ones of equal width. */
function createNames(name: unknown, count: number | undefined): readonly NumberedName[] {
  const given = typeof name === 'string' ? name : undefined;
  if (count === undefined) return [{ name: given, suffix: '' }];
  if (given === undefined) throw new UsageError('--count requires a name');
  const width = String(count).length;
  return Array.from({ length: count }, (_, index) => {
    const suffix = `-${String(index + 1).padStart(width, '0')}`;
    return { name: `${given}${suffix}`, suffix };
  });
}

/** Prints a note about the placeholders and omitted requests of a dry run. */
function notePlaceholders(
  cli: CommandContext,
  { image, network, start, waitFor }: CreateFlags,
): void {
  if (image === undefined && network === undefined && !start) return;
  const later = [
    ...(image !== undefined && isFileOrUrl(image) ? ['the image data'] : []),
    ...(waitFor === 'ip' ? ['requests for the address'] : []),
  ];
  const more = later.length > 0 ? `; ${later.join(' and ')} would follow` : '';
  cli.note(`ID-of-NAME is a placeholder for unknown ids${more}`);
}
