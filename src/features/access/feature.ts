/** Feature `access`: effective permissions of users on objects. */
import type { Feature } from '../../feature.ts';
import { commands } from './commands.ts';

export default { commands, errorCodes: { 5: ['unreadable_permits'] } } satisfies Feature;
