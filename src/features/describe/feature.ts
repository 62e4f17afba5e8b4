/** Feature `describe`: summaries of objects for people. */
import type { Feature } from '../../feature.ts';
import { commands } from './commands.ts';

export default { commands } satisfies Feature;
