/** `vmctl completion`: the script that makes a shell complete. Never connects. */
import { Argument, type Command } from 'commander';
import { type Shell, scripts, shells } from '../completion/scripts.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';

/** Adds the argument and the action of `vmctl completion`. */
export function register(command: Command, cli: CommandContext): void {
  command
    .addArgument(new Argument('<shell>', 'for which shell').choices(shells))
    .addHelpText(
      'after',
      `
It goes where the shell looks for it; for zsh that is any folder of $fpath.

Examples:
  vmctl completion bash > ~/.local/share/bash-completion/completions/vmctl
  vmctl completion zsh > ~/.zfunc/_vmctl
  vmctl completion fish > ~/.config/fish/completions/vmctl.fish`,
    )
    .action((shell: Shell) => write(cli.io.stdout, scripts[shell]));
}
