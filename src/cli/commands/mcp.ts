/** `vmctl mcp`: the commands as tools for agents, by the Model Context Protocol. */
import { command, noun } from '../args/command.ts';
import { flag } from '../args/parameters.ts';

export default noun({
  name: 'mcp',
  doc: 'Offer the commands as tools to agents, by the Model Context Protocol',
  position: 155,
  more: true,
  commands: [
    command({
      flags: [
        flag('--allow-changes', 'offer also what changes something; by default tools only read'),
        flag('--files <dir>', 'let tools read and write files in this folder; by default in none', {
          repeatable: true,
        }),
        flag('--nouns <names>', 'only the tools for these nouns: vms,hosts,events', { many: true }),
      ],
      notes:
        'An agent starts it, speaks to it on standard input and output, and ends it by closing them. ' +
        'There is a tool for each noun, whose verbs are those of the command line, and `help`, which ' +
        'explains them. Files of this computer are read and written only in the folders of --files. Protected contexts stay protected: what does harm there is refused.',
      examples: ['vmctl mcp', 'vmctl mcp --context lab --nouns vms,disks --allow-changes'],
      unshowable: 'local',
      prints: 'text',
      run: async (cli, _, flags, modules) => {
        const { serveTools } = await import('./mcp/serve-tools.ts');
        await serveTools(cli, flags, modules);
      },
    }),
  ],
});
