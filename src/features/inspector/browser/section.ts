/** Common functions of the sections. */
import type { Session } from './session.ts';

/** A section: renders into `place` and refreshes until the signal aborts. */
export type Section = (place: HTMLElement, session: Session, signal: AbortSignal) => void;

/**
 * Runs `work` now and then every `milliseconds` until the signal aborts. Shows errors in the status
 * line.
 */
export function poll(work: () => Promise<void>, milliseconds: number, signal: AbortSignal): void {
  const turn = async () => {
    if (signal.aborted) return;
    await showErrors(work);
    if (!signal.aborted) setTimeout(turn, milliseconds);
  };
  void turn();
}

/** Runs `work` and shows its error in the status line. */
export async function showErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    showStatus('');
  } catch (error) {
    showStatus(formatError(error));
  }
}

/** Message of a thrown value. */
export function formatError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Sets the status line of the page, an ARIA live region. */
export function showStatus(text: string): void {
  const status = document.getElementById('status');
  if (status && status.textContent !== text) status.textContent = text;
}
