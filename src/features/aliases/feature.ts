/** Feature `aliases`: short names for commands, stored in the configuration. */
import type { Feature } from '../../feature.ts';
import { commands } from './commands.ts';

export default {
  commands,
  aliases: async () => (await import('./alias-table.ts')).readAliasTable,
} satisfies Feature;
