/** Feature `inspector`: the web page `/_vmctl/ui` and `vmctl serve --open`. */
import { defineFlag } from '../../cli/args/parameters.ts';
import { defineServeExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: defineServeExtension({
    flags: [defineFlag('--open', 'open the web page in a browser')],
    foregroundFlags: ['open'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
