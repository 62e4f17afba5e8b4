/** `vmctl vms screenshot`: a screenshot to a file, a pipe, or a terminal that displays images. */
import { ServerError } from '../../../client/errors.ts';
import { errorFromResponse } from '../../../client/response-errors.ts';
import { fileNameFrom } from '../../../formats/file-name.ts';
import { printSavedPath, requireFreePath, saveFile } from '../../output/saved-file.ts';
import type { CommandContext } from '../../session/command-context.ts';
import { type Environment, write } from '../../session/io.ts';
import { OperationRunner } from '../../verbs/operation-runner.ts';

export interface ScreenshotFlags {
  readonly file?: string;
  readonly force?: boolean;
}

/** Signature of PNG files. */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Takes a screenshot. Throws `UsageError` for an existing file before the request. */
export async function takeScreenshot(
  cli: CommandContext,
  word: string,
  { file, force }: ScreenshotFlags,
): Promise<void> {
  const isTerminal = cli.io.stdout.isTTY === true;
  const runner = await OperationRunner.create(cli, {});
  const { id, label, item } = await runner.find(word, '/vms');
  const name = fileNameFrom([String(item?.name ?? ''), id, 'screenshot'], 'png', 'VM');
  const inline = isTerminal && file === undefined ? findImageEncoder(cli.io.env) : undefined;
  const path = file ?? (isTerminal && !inline ? name : '-');
  if (path !== '-') requireFreePath({ path, force });
  const picture = await fetchScreenshot(cli, id, label);
  if (inline) await write(cli.io.stdout, inline(picture));
  else if (path === '-') await write(cli.io.stdout, picture);
  else {
    saveFile({ path, force }, picture);
    await printSavedPath(cli, path);
  }
}

async function fetchScreenshot(
  cli: CommandContext,
  id: string,
  label: string,
): Promise<Uint8Array> {
  const client = await cli.client();
  const request = { method: 'POST', path: `/vms/${id}/screenshot` };
  const answer = await client.raw({
    ...request,
    headers: { accept: 'image/png', 'content-type': 'application/json', version: '4' },
    body: '{}',
    isPrimary: true,
  });
  const what = `screenshot ${label}`;
  if (answer.status < 200 || answer.status > 299) {
    const place = { request: { ...request, origin: '' }, what };
    throw errorFromResponse(answer, { ...place, noun: 'vms', isAction: true });
  }
  const picture = Buffer.from(answer.body);
  if (picture.subarray(0, signature.length).equals(signature)) return picture;
  throw new ServerError(`${what}: the service does not return an image`, {
    code: 'bad_answer',
    status: answer.status,
    hint: 'the service may be too old for screenshots; use vmctl vms console',
  });
}

/** Returns the encoder for inline images; undefined for terminals without known support. */
function findImageEncoder(env: Environment): ((picture: Uint8Array) => string) | undefined {
  const base64 = (picture: Uint8Array) => Buffer.from(picture).toString('base64');
  const program = env['TERM_PROGRAM'] ?? '';
  // Escape sequences do not pass through a multiplexer.
  if (env['TMUX'] || env['STY']) return undefined;
  if (env['KITTY_WINDOW_ID'] || env['TERM'] === 'xterm-kitty' || program === 'ghostty') {
    return (picture) => encodeForKitty(base64(picture));
  }
  if (program === 'iTerm.app' || program === 'WezTerm') {
    return (picture) =>
      `\u001b]1337;File=inline=1;size=${picture.length}:${base64(picture)}\u0007\n`;
  }
  return undefined;
}

/** The kitty protocol takes chunks of 4096 characters. */
function encodeForKitty(text: string): string {
  const pieces = text.match(/.{1,4096}/g) ?? [];
  const parts = pieces.map((piece, index) => {
    const first = index === 0 ? 'a=T,f=100,' : '';
    return `\u001b_G${first}m=${index < pieces.length - 1 ? 1 : 0};${piece}\u001b\\`;
  });
  return `${parts.join('')}\n`;
}
