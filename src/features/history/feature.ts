/** Feature `history`: local record of changes, with `vmctl history` and `vmctl undo`. */
import type { Feature } from '../../feature.ts';
import { commands } from './commands.ts';

export default {
  commands,
  settings: {
    history: {
      env: 'VMCTL_HISTORY',
      key: 'history',
      values: ['on', 'off'],
      doc: 'Set to off to disable vmctl history and vmctl undo.',
    },
  },
  observeChanges: async () => (await import('./history-recorder.ts')).createRecorder,
  errorCodes: {
    2: ['unreadable_directory'],
    3: ['nothing_to_undo'],
    6: ['changed_since', 'no_opposite', 'undone_already'],
  },
} satisfies Feature;
