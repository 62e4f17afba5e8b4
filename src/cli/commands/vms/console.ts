/**
 * `vmctl vms console`: the connection file of a graphics console, opened in a viewer if one is
 * installed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConflictError, NotFoundError, UsageError } from '../../../client/errors.ts';
import { shellQuote } from '../../../client/shell-quote.ts';
import { fileNameFrom } from '../../../formats/file-name.ts';
import type { Resource } from '../../../model/resource.ts';
import { printSavedPath, requireFreePath, saveFile } from '../../output/saved-file.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { withoutSecrets } from '../../session/credentials.ts';
import { type Environment, write } from '../../session/io.ts';
import { isOnPath, isProgram } from '../../session/programs.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';

export interface ConsoleFlags {
  readonly protocol?: string;
  readonly file?: string;
  readonly force?: boolean;
  readonly viewer?: string;
  readonly serial?: boolean;
  readonly proxy?: string;
}

const defaultViewer = 'remote-viewer';

/** States of VMs without a screen. */
export const statesWithoutScreen: ReadonlySet<string> = new Set([
  'down',
  'suspended',
  'image_locked',
]);

/** Writes the connection file to `--file`, or to a private temporary folder for a viewer. */
export async function runConsole(
  cli: CommandContext,
  word: string,
  flags: ConsoleFlags,
): Promise<void> {
  if (flags.proxy !== undefined) throw new UsageError('--proxy requires --serial');
  if (flags.file !== undefined && flags.viewer !== undefined) {
    throw new UsageError('--file and --viewer exclude each other');
  }
  if (flags.force && flags.file === undefined) throw new UsageError('--force requires --file');
  const isFile = flags.file !== undefined && flags.file !== '-';
  if (isFile) requireFreePath({ path: flags.file, force: flags.force });
  const viewer = flags.file === undefined ? findViewer(cli.io.env, flags.viewer) : undefined;
  const { name, text } = await fetchConnectionFile(cli, word, flags.protocol);
  if (flags.file === '-') {
    await write(cli.io.stdout, text);
    return;
  }
  const path = flags.file ?? join(mkdtempSync(join(tmpdir(), 'vmctl-console-')), name);
  // The file contains the password of the console.
  saveFile({ path, force: flags.force, mode: 0o600 }, text);
  if (viewer === undefined) {
    await printSavedPath(cli, path);
    if (flags.file === undefined)
      cli.note(`${defaultViewer} is not installed; open the file on a computer that has it`);
    return;
  }
  await openViewer(cli, viewer, path);
  cli.note(`opened ${path} with ${viewer}`);
}

async function fetchConnectionFile(
  cli: CommandContext,
  word: string,
  protocol: string | undefined,
): Promise<{ name: string; text: string }> {
  const runner = await OperationRunner.create(cli, {});
  const vm = await runner.find(word, '/vms');
  const status = String(vm.item?.status ?? '');
  if (statesWithoutScreen.has(status)) {
    throw new ConflictError(`${vm.label} is ${status}; a screen needs a running VM`, {
      code: 'not_running',
      hint: `vmctl vms start ${shellQuote(String(vm.item?.name ?? vm.id))}`,
    });
  }
  const path = '/vms/{vm}/graphicsconsoles';
  const ids = { vm: vm.id };
  const console = selectConsole(await runner.list({ path, ids }), protocol, vm.label);
  const answer = await runner.call({
    path: `${path}/{console}`,
    name: 'remote_viewer_connection_file',
    ids: { ...ids, console: String(console.id) },
  });
  const name = fileNameFrom([String(vm.item?.name ?? ''), vm.id, 'console'], 'vv', 'VM');
  return { name, text: String(answer.remote_viewer_connection_file ?? '') };
}

function selectConsole(
  consoles: readonly Resource<'graphics_console'>[],
  protocol: string | undefined,
  label: string,
): Resource<'graphics_console'> {
  const known = consoles.map((console) => String(console.protocol));
  const wanted = protocol ?? (known.includes('spice') ? 'spice' : known[0]);
  const found = consoles.find((console) => console.protocol === wanted);
  if (found) return found;
  throw new NotFoundError(
    protocol === undefined
      ? `${label} has no graphics console`
      : `${label} has no ${protocol} console`,
    {
      hint:
        known.length > 0
          ? `available: ${known.join(', ')}`
          : `vmctl graphicsconsoles create --vm ${label.slice(label.indexOf('/') + 1)} --protocol vnc`,
    },
  );
}

/** Finds the viewer; undefined without a display or if the default viewer is not installed. */
function findViewer(env: Environment, requested: string | undefined): string | undefined {
  const name = requested ?? defaultViewer;
  const hasScreen =
    Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']) || process.platform !== 'linux';
  const found = /[\\/]/.test(name) ? isProgram(name) : isOnPath(env, name);
  if (found && (hasScreen || requested !== undefined)) return name;
  if (requested === undefined) return undefined;
  throw new UsageError(`--viewer: program "${requested}" not found`);
}

/** Starts the viewer as an independent process. */
async function openViewer(cli: CommandContext, viewer: string, path: string): Promise<void> {
  const child = spawn(viewer, [path], {
    detached: true,
    stdio: 'ignore',
    env: withoutSecrets(cli.io.env),
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  child.unref();
}
