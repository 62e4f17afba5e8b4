/** Conversion of foreign disk images to qcow2 with `qemu-img`, if it is installed. */

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { getErrorMessage } from '../../caught-errors.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { isOnPath } from '../../cli/session/programs.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { type ForeignImage, formatImageArgument, readInfo } from '../../formats/foreign-images.ts';
import type { FileRegion } from '../../transfer/index.ts';

const run = promisify(execFile);
const program = 'qemu-img';

/** Throws `wrong_format` if `qemu-img` is not installed. */
export function requireConverter(
  { io }: CommandContext,
  { name: kind }: ForeignImage,
  name: string,
): void {
  if (isOnPath(io.env, program)) return;
  throw new UsageError(`${name} is ${kind}, and ${program}, which converts it, is not installed`, {
    code: 'wrong_format',
    hint: 'install it (on Debian and Ubuntu the package is qemu-utils, on Fedora and EL qemu-img)',
  });
}

/**
 * Virtual size of the image in bytes. Throws if the image is damaged or depends on a backing file.
 */
export async function readVirtualSize(
  cli: CommandContext,
  region: FileRegion,
  format: ForeignImage,
  name: string,
): Promise<number> {
  const words = ['info', '--output=json', formatImageArgument(region, format)];
  const { virtualSize, isDifference } = readInfo(await qemuImg(cli, words, name));
  if (isDifference) {
    throw new UsageError(`${name} is the overlay of another image`, {
      code: 'has_backing_file',
      hint: 'export the VM again without snapshots',
    });
  }
  if (virtualSize !== undefined) return virtualSize;
  throw new VmctlError(`${program} does not report the size of ${name}`, { code: 'wrong_format' });
}

/** Converts the image to a qcow2 file at `target`. */
export async function convertImage(
  cli: CommandContext,
  region: FileRegion,
  format: ForeignImage,
  name: string,
  target: string,
): Promise<void> {
  const word = formatImageArgument(region, format);
  await qemuImg(cli, ['convert', '-O', 'qcow2', word, target], name);
}

async function qemuImg(
  { io, signal }: CommandContext,
  words: readonly string[],
  name: string,
): Promise<string> {
  try {
    const { stdout } = await run(program, words, { env: io.env, signal });
    return stdout;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    const why = stderr.trim().split('\n').at(-1) ?? getErrorMessage(error);
    throw new VmctlError(`${program} cannot convert ${name}: ${why}`, {
      code: /no space left/i.test(why) ? 'no_space' : 'wrong_format',
      ...(/no space left/i.test(why) ? { hint: 'set TMPDIR to a folder with more space' } : {}),
      cause: error,
    });
  }
}
