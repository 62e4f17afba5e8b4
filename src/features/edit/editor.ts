/** Editor of the user, and the file that it edits. */
import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { withoutSecrets } from '../../cli/session/credentials.ts';
import { getDefaultProgram, quotePath } from '../../cli/session/platform.ts';
import { UsageError, VmctlError } from '../../client/errors.ts';
import { systemReason } from '../../system-errors.ts';

/** File in a private temporary folder. */
export class EditedFile {
  readonly path: string;
  readonly #folder: string;

  /** Creates the file; `name` is the name of the object. */
  constructor(name: string, text: string) {
    this.#folder = fs.mkdtempSync(join(tmpdir(), 'vmctl-edit-'));
    const safe = name.replaceAll(/[^\w.-]/g, '_').slice(0, 100);
    this.path = join(this.#folder, `${safe}.yaml`);
    fs.writeFileSync(this.path, text, { mode: 0o600 });
  }

  /** Reads the text. Throws `UsageError` if the editor removed the file. */
  read(): string {
    try {
      return fs.readFileSync(this.path, 'utf8');
    } catch (error) {
      throw new UsageError(`cannot read "${this.path}": ${systemReason(error)}`, { cause: error });
    }
  }

  remove(): void {
    fs.rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns the editor command. Throws `UsageError` if there is neither an editor nor a terminal. */
export function getEditorCommand({ io }: CommandContext): string {
  const { VISUAL: visual, EDITOR: editor } = io.env;
  const command = visual || editor;
  if (command) return command;
  const usual = getDefaultProgram('editor');
  if (io.stdin.isTTY) return usual;
  throw new UsageError(`no terminal for the editor ${usual}`, {
    code: 'no_editor',
    hint: 'set EDITOR to a command, or use update with flags or -f',
  });
}

/** Runs the editor until it exits. Throws an error if it fails. */
export async function runEditor(cli: CommandContext, command: string, path: string): Promise<void> {
  // The shell splits the arguments of the editor, as in "code --wait".
  const child = spawn(`${command} ${quotePath(path)}`, {
    shell: true,
    // The result goes to stdout, so the screen of the editor must not.
    stdio: ['inherit', cli.io.stdout.isTTY ? 'inherit' : 2, 'inherit'],
    env: withoutSecrets(cli.io.env),
  });
  const code = await new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exit, signal) => resolve(exit ?? signal ?? 1));
  });
  if (code === 0) return;
  const problem = typeof code === 'number' ? `exited with code ${code}` : `ended by ${code}`;
  throw new VmctlError(`the editor "${command}" ${problem}; nothing sent`, {
    code: 'editor_failed',
    hint: 'set VISUAL or EDITOR to another editor',
  });
}
