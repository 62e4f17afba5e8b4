/** `vmctl completion`: the script that makes a shell complete. Never connects. */
import { command, noun } from '../args/command.ts';
import { argument } from '../args/parameters.ts';
import { scripts, shells } from '../completion/scripts.ts';
import { write } from '../session/io.ts';

export default noun({
  name: 'completion',
  doc: 'Print what makes a shell complete commands',
  position: 130,
  more: true,
  commands: [
    command({
      arguments: [argument('<shell>', 'for which shell', { choices: shells })],
      notes: `It goes where the shell looks for it; for zsh that is any folder of $fpath;
the profile of PowerShell reads it with a line '. ~/vmctl.ps1'. Names of objects come from the lists that were shown on this machine; where they
are older than a minute the server is asked in the background, with the token that is at hand. Nobody is
asked to sign in for it.`,
      examples: [
        'vmctl completion bash > ~/.local/share/bash-completion/completions/vmctl',
        'vmctl completion zsh > ~/.zfunc/_vmctl',
        'vmctl completion fish > ~/.config/fish/completions/vmctl.fish',
        'vmctl completion powershell > ~/vmctl.ps1',
      ],
      offline: true,
      prints: 'text',
      run: (cli, [shell]) => write(cli.io.stdout, scripts[shell]),
    }),
  ],
});
