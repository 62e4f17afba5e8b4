/** Sites in PostgreSQL, for one or several servers: `vmctl serve --store postgres://...` and `--copy-store`. */
import { flag } from '../../cli/args/parameters.ts';
import { serveExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: serveExtension({
    flags: [
      flag('--store <address>', 'database of the state: sqlite:DIR or postgres://HOST/NAME'),
      flag('--copy-store <from>', 'copy a site to another store, and exit: --copy-store FROM TO'),
    ],
    rareFlags: ['--copy-store'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
