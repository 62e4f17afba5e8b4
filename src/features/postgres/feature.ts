/**
 * Feature `postgres`: sites in PostgreSQL, shared by several servers, and `vmctl serve
 * --copy-store`.
 */
import { defineFlag } from '../../cli/args/parameters.ts';
import { defineServeExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: defineServeExtension({
    flags: [
      defineFlag('--store <address>', 'database of the state: sqlite:DIR or postgres://HOST/NAME'),
      defineFlag(
        '--copy-store <from>',
        'copy a site to another store, and exit: --copy-store FROM TO',
      ),
    ],
    rareFlags: ['--copy-store'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
