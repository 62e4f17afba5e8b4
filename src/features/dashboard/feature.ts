/** Feature `dashboard`: the terminal dashboard `vmctl ui`. */
import type { Feature } from '../../feature.ts';
import command from './command.ts';

export default { commands: [command] } satisfies Feature;
