/** Web page of the server: `/_vmctl/ui`, and `vmctl serve --open`. */
import { flag } from '../../cli/args/parameters.ts';
import { serveExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: serveExtension({
    flags: [flag('--open', 'open the web page in a browser')],
    foregroundFlags: ['open'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
