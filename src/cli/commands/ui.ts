/** `vmctl ui`: the dashboard in the whole terminal. */
import { command, noun } from '../args/command.ts';
import { argument, flag } from '../args/parameters.ts';

export default noun({
  name: 'ui',
  doc: 'Look at everything, and work with it, in the whole terminal',
  position: 72,
  commands: [
    command({
      arguments: [argument('[noun]', 'what to begin with', { default: 'vms' })],
      flags: [
        flag('--search <query>', 'begin with what this search finds'),
        flag('--interval <duration>', 'how often lists are read', { default: '5s' }),
      ],
      notes:
        'The last line names the keys, ? explains all of them. Every key runs a command, which is ' +
        'shown; what stops work or loses data is asked first.',
      examples: ['vmctl ui', "vmctl ui hosts --search 'status=up' --interval 30s"],
      unshowable: 'local',
      prints: 'text',
      run: async (cli, [word], flags, modules) => {
        const { runDashboard } = await import('./ui/run.ts');
        await runDashboard(cli, word, flags, modules);
      },
    }),
  ],
});
