/** Jobs and their steps. */
import { crud, ignored, owned } from '../notation/collections.ts';
import { system } from '../notation/permits.ts';
import { resource } from '../notation/resource.ts';

export const job = resource('job', {
  doc: 'A running or finished task.',
  identified: true,
  attributes: {
    description: { kind: 'string', mut: 'C' },
    status: { kind: 'enum job_status', mut: 'R', default: 'started' },
    external: { kind: 'bool', mut: 'R', doc: 'Whether a client created the job.' },
    auto_cleared: { kind: 'bool', mut: 'C', default: true },
    steps: { kind: 'links step', mut: 'R' },
    start_time: { kind: 'date', mut: 'C' },
    end_time: { kind: 'date', mut: 'C' },
    last_updated: { kind: 'date', mut: 'C' },
    owner: { kind: 'ref user', mut: 'C' },
  },
  required: ['description'],
  operations: {
    add: { permit: system('inject_external_tasks') },
    clear: { permit: system('inject_external_tasks'), harmless: true },
    end: {
      permit: system('inject_external_tasks'),
      harmless: true,
      required: [['succeeded', 'force']],
    },
  },
  paths: {
    '/jobs/{job}': owned({
      ...crud('add', 'get'),
      list: ['case_sensitive', 'follow', 'max', 'search'],
      actions: {
        clear: ['async'],
        end: [
          'async',
          ignored('force', 'clients only end their own jobs, which they always may'),
          'succeeded',
        ],
      },
    }),
  },
  search: {
    fields: {
      correlation_id: {
        kind: 'text',
        storedPath: 'correlation_id',
        doc: 'correlation id of the request',
      },
    },
    withoutText: true,
    order: [{ path: 'start_time' }],
  },
  definition: { leftOut: 'tasks that run or have ended' },
  commands: {
    noun: 'jobs',
    aliases: ['tasks'],
    group: 'observe',
    position: 20,
    doc: 'Running and finished tasks',
    columns: ['description', 'status', 'start_time', 'end_time', 'id'],
    knownBy: ['description'],
    verbs: {
      create: { sample: { flags: '--description Restore' } },
      end: { sample: { flags: '--succeeded' } },
    },
    samples: { object: 'Backup', state: 'finished', search: 'correlation_id=vmctl*' },
  },
});

export const step = resource('step', {
  doc: 'A part of a job.',
  identified: true,
  attributes: {
    description: { kind: 'string', mut: 'C' },
    type: {
      kind: 'enum step_enum',
      mut: 'C',
      default: 'validating',
      doc: 'Type: executing or finalizing; the server creates steps of other types.',
    },
    parent_step: {
      kind: 'ref step',
      mut: 'C',
      doc: 'Parent step.',
    },
    statistics: { kind: 'links statistic', mut: 'R' },
    number: { kind: 'int', mut: 'C' },
    progress: { kind: 'int', mut: 'C' },
    status: { kind: 'enum step_status', mut: 'C' },
    start_time: { kind: 'date', mut: 'C' },
    end_time: { kind: 'date', mut: 'C' },
    external: { kind: 'bool', mut: 'C' },
    external_type: { kind: 'enum external_system_type', mut: 'C' },
    job: { kind: 'ref job', mut: 'C' },
    execution_host: { kind: 'ref host', mut: 'C' },
  },
  required: ['type', 'description'],
  operations: {
    add: { permit: system('inject_external_tasks') },
    end: {
      permit: system('inject_external_tasks'),
      harmless: true,
      required: [['succeeded', 'force']],
    },
  },
  paths: {
    '/jobs/{job}/steps/{step}': owned({
      ...crud('list', 'add', 'get'),
      actions: {
        end: [
          'async',
          ignored('force', 'clients only end their own jobs, which they always may'),
          'succeeded',
        ],
      },
    }),
  },
  statistics: [
    ['files.moved', 'counter', 'none', 'integer', 'Files moved'],
    ['size.moved', 'gauge', 'bytes', 'integer', 'Bytes moved'],
    ['files.scanned', 'counter', 'none', 'integer', 'Files scanned'],
    ['files.failed', 'counter', 'none', 'integer', 'Files that failed'],
    ['files.skipped', 'counter', 'none', 'integer', 'Files skipped'],
    ['run.time', 'counter', 'seconds', 'decimal', 'Run time'],
    ['status', 'gauge', 'none', 'string', 'Status'],
  ],
  definition: { leftOut: 'tasks that run or have ended' },
  commands: {
    noun: 'steps',
    group: 'observe',
    position: 10,
    more: true,
    doc: 'Steps of a job',
    columns: ['number', 'type', 'status', 'progress', 'description', 'id'],
    knownBy: ['description'],
    verbs: {
      create: { sample: { flags: '--type executing --description Verify' } },
      end: { sample: { flags: '--succeeded' } },
    },
    samples: { object: 'Copy', state: 'finished' },
  },
});
