/** Backups of VMs in local folders: `vmctl backups run` and `restore`. */
import type { Feature } from '../../feature.ts';
import backups from './commands.ts';

export default {
  commands: [backups],
  errorCodes: {
    2: ['damaged_backup', 'no_backup_folder'],
    3: ['no_backup', 'no_document'],
    6: ['in_use', 'no_base', 'other_machine'],
  },
} satisfies Feature;
