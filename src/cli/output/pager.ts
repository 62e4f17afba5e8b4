/** The pager that `--pager` or VMCTL_PAGER asks for: begun with the first text, waited for at the end. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { UsageError } from '../../client/errors.ts';
import type { CommandContext } from '../session/command-context.ts';

/** The command that pages; nothing where nobody asked, or nobody looks. */
export function pagerCommand(cli: CommandContext): string | undefined {
  const found = cli.setting('pager');
  if (found === undefined || cli.io.stdout.isTTY !== true) return undefined;
  const { VMCTL_PAGER: own, PAGER: usual } = cli.io.env;
  return own || usual || 'less';
}

export class Pager {
  readonly #command: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> | undefined;

  constructor(cli: CommandContext, command: string) {
    this.#command = command;
    // As git has it: nothing to page through for one screen, colours, the screen left as it was.
    this.#env = { LESS: 'FRX', ...cli.io.env };
  }

  /** Hands text to the pager; `false` once it has gone: its user has seen enough. */
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
    // That nobody reads on is told by `write`.
    child.stdin?.on('error', () => child.stdin?.destroy());
    this.#ended = once(child, 'close');
    return child;
  }

  /** Waits until its user has left it. Throws where there is no such command. */
  async close(): Promise<void> {
    this.#child?.stdin?.end();
    await this.#ended;
    if (this.#child?.exitCode !== 127) return;
    throw new UsageError(`cannot run the pager ${this.#command}`, {
      hint: 'set VMCTL_PAGER to another command, or remove --pager',
    });
  }
}
