/**
 * Limits of attempts on persistent tasks. A task that crashes the process, or whose rule throws, is not retried
 * forever: it fails, and its object leaves its waiting state.
 */
import type { Task } from '../store/task-list.ts';
import type { RuleContext } from './context.ts';
import type { TaskSubject } from './declared-tasks.ts';
import { typeLabel } from './fault.ts';

/** Crashes soon after the beginning of work that end its attempts. */
const mostCrashes = 2;
/** All crashes that do, also those of attempts that lasted. */
const mostInterruptions = 5;
/** Transactions of a move or a deadline that may throw before it fails. */
const mostThrown = 10;

/**
 * Milliseconds after which an attempt counts as lasting. A task that crashes the server does so soon after it
 * begins; a server that is killed during a long copy was not crashed by the copy.
 */
export const lastingAfter = 60_000;

/** Whether crashes have interrupted this work so often that it is not begun again. */
export function isExhaustedWork({ attempts, lasting }: Task): boolean {
  return attempts - lasting >= mostCrashes || attempts >= mostInterruptions;
}

/** Whether the transaction of a move or a deadline has thrown so often that it is not tried again. */
export function isExhaustedStep({ attempts }: Task): boolean {
  return attempts >= mostThrown;
}

/** Milliseconds until a move or deadline is tried again after its transaction has thrown. */
export function pauseAfterThrow({ attempts }: Task): number {
  return 1_000 * 2 ** Math.min(attempts, mostThrown);
}

/** Writes the event of a task that has failed. `reason` ends its sentence. */
export function reportGivenUp(ctx: RuleContext, subject: TaskSubject, reason: string): void {
  ctx.event(
    'TASK_GIVEN_UP',
    {},
    {
      TaskName: subject.task,
      ObjectType: typeLabel(subject.type),
      ObjectName: subject.name,
      Reason: reason,
    },
    subject.objects,
  );
}

/** The line of the log for a task that has failed. */
export function failureLine({ task, type, name }: TaskSubject, reason: string): string {
  return `task ${task} of ${typeLabel(type)} ${name} failed: ${reason}`;
}
