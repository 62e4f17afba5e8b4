/** Command `vmctl mcp`: commands as tools of the Model Context Protocol. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineFlag } from '../../cli/args/parameters.ts';

export default defineNoun({
  name: 'mcp',
  doc: 'Offer commands as tools to AI agents (MCP)',
  position: 155,
  section: 'Integrate',
  more: true,
  commands: [
    defineCommand({
      flags: [
        defineFlag(
          '--allow-changes',
          'include commands that change something (default: read-only)',
        ),
        defineFlag(
          '--files <dir>',
          'folder in which tools can read and write files (default: none)',
          {
            repeatable: true,
          },
        ),
        defineFlag('--nouns <names>', 'nouns to offer as tools: vms,hosts,events', { many: true }),
      ],
      notes:
        'An agent starts the command and talks to it on stdin and stdout. Each noun is a tool with ' +
        'the verbs of the command line, and a help tool. Tools only access files in the folders of --files. ' +
        'Harmful commands in protected contexts are refused.',
      examples: ['vmctl mcp', 'vmctl mcp --context lab --nouns vms,disks --allow-changes'],
      unshowable: 'local',
      prints: 'text',
      run: async (cli, _, flags, modules) => {
        const { serveTools } = await import('./serve-tools.ts');
        await serveTools(cli, flags, modules);
      },
    }),
  ],
});
