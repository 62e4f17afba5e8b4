/** Feature `mcp`: commands as tools for AI agents. */
import type { Feature } from '../../feature.ts';
import command from './command.ts';

export default {
  commands: [command],
  errorCodes: { 2: ['outside_files'] },
} satisfies Feature;
