/** Feature `definitions`: `vmctl export`, `diff` and `apply`. */
import type { Feature } from '../../feature.ts';
import apply from './apply-command.ts';
import diff from './diff-command.ts';
import exportCommand from './export-command.ts';

export default {
  commands: [apply, diff, exportCommand],
  topics: { definitions: async () => (await import('./help-topic.ts')).definitionsTopic() },
  errorCodes: { 2: ['bad_definition', 'missing_secrets', 'bug'] },
} satisfies Feature;
