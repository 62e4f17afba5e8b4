/** Feature `edit`: objects as YAML in the editor of the user. */
import type { Feature } from '../../feature.ts';
import { commands } from './commands.ts';

export default {
  commands,
  errorCodes: { 1: ['editor_failed'], 2: ['no_editor'] },
} satisfies Feature;
