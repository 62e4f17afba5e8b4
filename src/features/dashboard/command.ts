/** Command `vmctl ui`: the full-screen dashboard. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';

export default defineNoun({
  name: 'ui',
  doc: 'Open the terminal dashboard',
  position: 72,
  section: 'Monitor',
  commands: [
    defineCommand({
      arguments: [defineArgument('[noun]', 'noun to start with', { default: 'vms' })],
      flags: [
        defineFlag('--search <query>', 'query to start with'),
        defineFlag('--interval <duration>', 'poll interval of lists', { default: '5s' }),
      ],
      notes:
        'The last line shows the keys, ? shows all of them. Every key runs a command, which the dashboard ' +
        'shows; it prompts before harmful ones.',
      examples: ['vmctl ui', "vmctl ui hosts --search 'status=up' --interval 30s"],
      unshowable: 'local',
      prints: 'text',
      run: async (cli, [word], flags, modules) => {
        const { runDashboard } = await import('./run.ts');
        await runDashboard(cli, word, flags, modules);
      },
    }),
  ],
});
