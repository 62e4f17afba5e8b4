/** Faults of jobs. */
import type { FaultTexts } from '../notation/faults.ts';

export const jobFaults = {
  JOB_HAS_ENDED: { status: 409, text: 'Cannot {action} {type}. It has ended already.' },
  JOB_IS_NOT_EXTERNAL: {
    status: 400,
    text: 'Cannot {action} Job. It is a job of the service; only jobs that clients added can be led by them.',
  },
  STEP_NOT_OF_JOB: {
    status: 409,
    text: 'Cannot {action} Step. The job has no step {step} to put it below.',
  },
} as const satisfies FaultTexts;
