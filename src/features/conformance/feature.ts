/** Comparison of a service with the specification: `vmctl conformance`. */
import type { Feature } from '../../feature.ts';
import command from './command.ts';

export default { commands: [command] } satisfies Feature;
