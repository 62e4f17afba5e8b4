/** Feature `recording`: `--record` and `vmctl serve --replay`. */
import { defineFlag } from '../../cli/args/parameters.ts';
import { defineServeExtension } from '../../cli/commands/serve/extension.ts';
import type { Feature } from '../../feature.ts';

export default {
  settings: {
    record: {
      flags: '--record <file>',
      env: 'VMCTL_RECORD',
      requestFile: true,
      doc: 'File for requests and responses without secrets, for serve --replay.',
    },
  },
  topics: { recording: async () => (await import('./help-topic.ts')).recordingTopic },
  errorCodes: { 2: ['not_a_recording'] },
  observeRequests: {
    setting: 'record',
    load: async () => (await import('./recorder.ts')).createRecordingOptions,
  },
  serve: defineServeExtension({
    flags: [defineFlag('--replay <file>', 'recording to replay (see --record)')],
    examples: ['vmctl serve --replay session.ndjson -- vmctl vms list'],
    load: async () => (await import('./serve.ts')).handlers,
  }),
} satisfies Feature;
