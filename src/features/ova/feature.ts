/** Feature `ova`: VMs and templates in local OVA archives. */
import type { Feature } from '../../feature.ts';
import { templates, vms } from './commands.ts';

export default {
  commands: [vms, templates],
  errorCodes: { 2: ['damaged_archive', 'missing_file'], 3: ['no_disk', 'no_document'] },
} satisfies Feature;
