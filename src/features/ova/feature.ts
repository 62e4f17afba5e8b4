/** VMs in local OVA archives: `vmctl vms export-ova` and `import-ova`. */
import type { Feature } from '../../feature.ts';
import vms from './commands.ts';

export default { commands: [vms] } satisfies Feature;
