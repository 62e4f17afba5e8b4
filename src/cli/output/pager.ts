/**
 * Pager of `--pager` and VMCTL_PAGER. It starts with the first text; the command waits for its end.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';
import { withoutSecrets } from '../session/credentials.ts';
import { getDefaultProgram } from '../session/platform.ts';

/** Returns the pager command; undefined without a request or without a terminal. */
export function getPagerCommand(cli: CommandContext): string | undefined {
  const found = cli.setting('pager');
  if (found === undefined || cli.io.stdout.isTTY !== true) return undefined;
  const { VMCTL_PAGER: own, PAGER: usual } = cli.io.env;
  return own || usual || getDefaultProgram('pager');
}

export class Pager {
  readonly #command: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> | undefined;

  constructor(cli: CommandContext, command: string) {
    this.#command = command;
    // Same default as git: exit if the text fits one screen, keep colours, keep the screen.
    this.#env = { LESS: 'FRX', ...withoutSecrets(cli.io.env) };
  }

  /** Writes text to the pager. Returns false if the user has closed it. */
  async write(text: string): Promise<boolean> {
    this.#child ??= this.#begin();
    const { stdin } = this.#child;
    if (!stdin || stdin.destroyed || this.#child.exitCode !== null) return false;
    if (!stdin.write(text)) {
      await new Promise((resolve) => {
        for (const event of ['drain', 'close']) stdin.once(event, resolve);
      });
    }
    return !stdin.destroyed;
  }

  #begin(): ChildProcess {
    const child = spawn(this.#command, {
      shell: true,
      stdio: ['pipe', 'inherit', 'inherit'],
      env: this.#env,
    });
    // `write` reports a closed pager.
    child.stdin?.on('error', () => child.stdin?.destroy());
    this.#ended = once(child, 'close');
    return child;
  }

  /** Waits until the user closes the pager. Throws `UsageError` if the command does not exist. */
  async close(): Promise<void> {
    this.#child?.stdin?.end();
    await this.#ended;
    if (this.#child?.exitCode !== 127) return;
    throw new UsageError(`cannot run the pager ${this.#command}`, {
      hint: 'set VMCTL_PAGER to another command, or remove --pager',
    });
  }
}
