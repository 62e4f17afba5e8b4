/** `vmctl completion`: completion scripts of shells, without a connection. */
import { defineCommand, defineNoun } from '../args/command.ts';
import { defineArgument } from '../args/parameters.ts';
import { completionScripts, shells } from '../completion/scripts.ts';
import { write } from '../session/io.ts';

export default defineNoun({
  name: 'completion',
  doc: 'Print a completion script',
  position: 130,
  section: 'Integrate',
  more: true,
  commands: [
    defineCommand({
      arguments: [defineArgument('<shell>', 'shell of the script', { choices: shells })],
      notes: `Save the script in the completion folder of your shell; for zsh, any folder of $fpath. In PowerShell,\nadd ". ~/vmctl.ps1" to your profile. Names of objects come from lists that vmctl has shown. After one\nminute, a background request with the stored token refreshes them; completion never prompts.`,
      examples: [
        'vmctl completion bash > ~/.local/share/bash-completion/completions/vmctl',
        'vmctl completion zsh > ~/.zfunc/_vmctl',
        'vmctl completion fish > ~/.config/fish/completions/vmctl.fish',
        'vmctl completion powershell > ~/vmctl.ps1',
      ],
      offline: true,
      prints: 'text',
      run: (cli, [shell]) => write(cli.io.stdout, completionScripts[shell]),
    }),
  ],
});
