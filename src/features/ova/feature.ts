/** VMs in local OVA archives: `vmctl vms export-ova` and `import-ova`. */
import type { Feature } from '../../feature.ts';
import vms from './commands.ts';

export default {
  commands: [vms],
  errorCodes: { 2: ['damaged_archive', 'missing_file'], 3: ['no_disk', 'no_document'] },
} satisfies Feature;
