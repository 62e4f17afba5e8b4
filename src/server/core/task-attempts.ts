/**
 * Attempt limits of persistent tasks. A task that crashes the process, or whose rule throws, has a
 * bounded number of retries. It then fails, and its object leaves its waiting state.
 */
import type { Task } from '../store/task-list.ts';
import type { RuleContext } from './context.ts';
import type { TaskSubject } from './declared-tasks.ts';
import { getTypeLabel } from './fault.ts';

/** Maximum crashes shortly after the start of work. */
const mostCrashes = 2;
/** Maximum crashes of work, including those of lasting attempts. */
const mostInterruptions = 5;
/** Maximum failed transactions of a transition or deadline. */
const mostThrown = 10;

/**
 * Milliseconds after which an attempt counts as lasting. A task that crashes the server does so
 * soon after its start. A server that is killed during a long copy did not crash because of the
 * copy.
 */
export const lastingAfter = 60_000;

/** Whether crashes have interrupted this work too often to retry it. */
export function isExhaustedWork({ attempts, lasting }: Task): boolean {
  return attempts - lasting >= mostCrashes || attempts >= mostInterruptions;
}

/** Whether the transaction of a transition or deadline has failed too often to retry it. */
export function isExhaustedStep({ attempts }: Task): boolean {
  return attempts >= mostThrown;
}

/** Milliseconds until the retry of a transition or deadline after a failed transaction. */
export function getRetryPause({ attempts }: Task): number {
  return 1_000 * 2 ** Math.min(attempts, mostThrown);
}

/** Writes the event of a failed task. `reason` ends its sentence. */
export function reportFailedTask(ctx: RuleContext, subject: TaskSubject, reason: string): void {
  ctx.event(
    'TASK_GIVEN_UP',
    {},
    {
      TaskName: subject.task,
      ObjectType: getTypeLabel(subject.type),
      ObjectName: subject.name,
      Reason: reason,
    },
    subject.objects,
  );
}

/** The log line for a failed task. */
export function formatFailureLine({ task, type, name }: TaskSubject, reason: string): string {
  return `task ${task} of ${getTypeLabel(type)} ${name} failed: ${reason}`;
}
