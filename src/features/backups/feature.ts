/** Backups of VMs in local folders: `vmctl backups run` and `restore`. */
import type { Feature } from '../../feature.ts';
import backups from './commands.ts';

export default { commands: [backups] } satisfies Feature;
