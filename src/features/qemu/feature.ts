/** Feature `qemu`: `vmctl serve --hypervisor qemu`, whose VMs boot. */
import { defineFlag } from '../../cli/args/parameters.ts';
import { defineServeExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  serve: defineServeExtension({
    flags: [
      defineFlag('--hypervisor <name>', 'how VMs run (default simulated)', {
        choices: ['simulated', 'qemu'],
      }),
    ],
    rareFlags: ['--hypervisor'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
