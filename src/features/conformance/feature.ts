/** Feature `conformance`: comparison of a service with the specification. */
import type { Feature } from '../../feature.ts';
import command from './command.ts';

export default { commands: [command] } satisfies Feature;
