/** Fault injection: `vmctl serve --fault` and `--delay`, and `/_vmctl/faults`. */
import { flag } from '../../cli/args/parameters.ts';
import { serveExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: serveExtension({
    flags: [
      flag('--fault <rule>', 'fault rule: operation=start,rate=0.1 (may be repeated)', {
        repeatable: true,
        default: [],
      }),
      flag('--delay <duration>', 'delay every response, for example 200ms±50'),
    ],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
