/** Trust in `.vmctl.yaml` files: check of a file, question, stored decisions. */
import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { getErrorMessage } from '../../../caught-errors.ts';
import { NotFoundError, UsageError } from '../../../client/errors.ts';
import { parseYaml } from '../../../definitions/yaml-text.ts';
import { isRecord } from '../../../records.ts';
import { printView } from '../../output/print.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { getContext } from '../../session/config-file.ts';
import {
  type FolderFile,
  findFolderFile,
  folderFileName,
  getTrustPath,
  hashText,
  readDecisions,
  readFolderFile,
  resolveFolder,
  type TrustDecision,
} from '../../session/folder-context.ts';
import { withLock, writePrivate } from '../../session/private-file.ts';
import { canPrompt, confirm } from '../../session/prompt.ts';

/**
 * Prompts for a file without a decision on a terminal. Without one, prints that the file has no
 * effect.
 */
export async function confirmFolderFile(
  cli: CommandContext,
  { path, text, problem }: FolderFile,
): Promise<void> {
  if (text === undefined) {
    cli.note(`${path} is ignored: ${problem}`);
    return;
  }
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    cli.note(
      `${path} is ignored, because it is not trusted; to use it: vmctl context trust ${path}`,
    );
    return;
  }
  const decision = await parseDecisionFor(cli, path, text);
  const { url } = getContext(cli.configuration, decision.context);
  const question = `${path} selects the context ${decision.context} (${url}). Trust this file?`;
  if (await confirm(cli.io, question, cli.signal)) await store(cli, path, decision);
  else {
    await store(cli, path, { sha256: decision.sha256, ignored: true });
    cli.note(`${path} is ignored; to use it: vmctl context trust ${path}`);
  }
}

/** Trusts the present content of a file: the given one, or the nearest. */
export async function trustFolderFile(cli: CommandContext, given?: string): Promise<void> {
  const file = given === undefined ? findNearest(cli) : readFolderFile(resolveFile(given));
  if (!file) throw createMissingError(`${given} has no ${folderFileName}`);
  const { path, text, problem } = file;
  if (text === undefined) {
    throw new UsageError(problem ?? `cannot read ${path}`, {
      code: 'unsafe_file',
      hint: 'replace it with a regular file of your own',
    });
  }
  const decision = await parseDecisionFor(cli, path, text);
  await store(cli, path, decision);
  cli.note(`trusted ${path}: context ${decision.context}`);
}

/** Removes the decision about a file: the given one, or the nearest. */
export async function removeTrust(cli: CommandContext, given?: string): Promise<void> {
  const path = given === undefined ? findNearest(cli).path : resolveFile(given);
  if (!Object.hasOwn(readDecisions(cli.paths.stateDirectory), path)) {
    throw new NotFoundError(`${path} is not trusted`, { hint: 'vmctl context trust --list' });
  }
  await store(cli, path, undefined);
  cli.note(`no longer trusted: ${path}`);
}

/** Prints all decisions, with the present state of each file. */
export async function listTrust(cli: CommandContext): Promise<void> {
  const items = Object.entries(readDecisions(cli.paths.stateDirectory)).map(([path, decision]) => ({
    path,
    context: 'context' in decision ? decision.context : undefined,
    state: describeState(path, decision),
  }));
  await printView(cli, { noun: 'context', items, columns: ['path', 'context', 'state'] });
}

function describeState(path: string, decision: TrustDecision): string {
  const file = readFolderFile(path);
  if (!file) return 'missing';
  if (file.text === undefined) return 'unsafe';
  if (hashText(file.text) !== decision.sha256) return 'changed';
  return 'ignored' in decision ? 'ignored' : 'trusted';
}

function findNearest(cli: CommandContext): FolderFile {
  const file = findFolderFile(cli.paths.stateDirectory, cli.io.env);
  if (file) return file;
  throw createMissingError(`no ${folderFileName} in this folder or its parents`);
}

function createMissingError(message: string): NotFoundError {
  return new NotFoundError(message, { hint: `echo 'context: NAME' > ${folderFileName}` });
}

/** Path of the file at an argument, which names the file or its folder. */
function resolveFile(given: string): string {
  const path = resolve(given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    return join(resolveFolder(path), folderFileName);
  }
  if (basename(path) !== folderFileName) {
    throw new UsageError(`${given}: neither a folder nor a ${folderFileName}`, {
      hint: `name the folder with the ${folderFileName}`,
    });
  }
  return join(resolveFolder(dirname(path)), folderFileName);
}

/** Parses the file. Throws an error with the position for other content than a known context. */
async function parseDecisionFor(
  cli: CommandContext,
  path: string,
  text: string,
): Promise<Extract<TrustDecision, { context: string }>> {
  const { value, place } = await parseYaml(text, path).catch((error: unknown) => {
    throw createContentError(getErrorMessage(error));
  });
  if (!isRecord(value)) throw createContentError(`${place.position()}: not an object`);
  const unknown = Object.keys(value).find((key) => key !== 'context');
  if (unknown !== undefined) {
    throw createContentError(`${place.at(unknown).position()}: unknown key "${unknown}"`);
  }
  const position = place.at('context').position();
  const { context } = value;
  if (context === undefined) throw createContentError(`${position}: "context" is missing`);
  if (typeof context !== 'string' || context === '') {
    throw createContentError(`${position}: "context" is not the name of a context`);
  }
  getContext(cli.configuration, context, position);
  return { sha256: hashText(text), context, position };
}

function createContentError(message: string): UsageError {
  return new UsageError(message, {
    code: 'bad_configuration',
    hint: 'the file has one line: context: NAME',
  });
}

/** Stores a decision under a lock, or removes it. */
async function store(
  cli: CommandContext,
  file: string,
  decision: TrustDecision | undefined,
): Promise<void> {
  const { stateDirectory } = cli.paths;
  const path = getTrustPath(stateDirectory);
  await withLock(path, () => {
    const { [file]: _before, ...others } = readDecisions(stateDirectory);
    const all = decision ? { ...others, [file]: decision } : others;
    writePrivate(path, `${JSON.stringify(all, null, 2)}\n`);
  });
  cli.forgetFolderFile();
}
