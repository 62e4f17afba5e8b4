/** Feature `faults`: `vmctl serve --fault`, `--delay` and `/_vmctl/faults`. */
import { defineFlag } from '../../cli/args/parameters.ts';
import { defineServeExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: defineServeExtension({
    flags: [
      defineFlag('--fault <rule>', 'fault rule: operation=start,rate=0.1 (may be repeated)', {
        repeatable: true,
        default: [],
      }),
      defineFlag('--delay <time>', 'delay every response, for example 200ms±50'),
    ],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
