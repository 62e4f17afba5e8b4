/** `vmctl ui`: the dashboard in the whole terminal. */
import { command, noun } from '../../cli/args/command.ts';
import { argument, flag } from '../../cli/args/parameters.ts';

export default noun({
  name: 'ui',
  doc: 'Open the terminal dashboard',
  position: 72,
  section: 'Monitor',
  commands: [
    command({
      arguments: [argument('[noun]', 'noun to start with', { default: 'vms' })],
      flags: [
        flag('--search <query>', 'query to start with'),
        flag('--interval <duration>', 'poll interval of lists', { default: '5s' }),
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
