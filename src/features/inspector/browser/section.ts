/** What sections of the page have in common. */
import type { Session } from './session.ts';

/** A section that is shown: it fills its place, and keeps it true until the signal aborts. */
export type Section = (place: HTMLElement, session: Session, signal: AbortSignal) => void;

/** Does work at once and then every so many milliseconds; what goes wrong is said. */
export function repeated(
  work: () => Promise<void>,
  milliseconds: number,
  signal: AbortSignal,
): void {
  const turn = async () => {
    if (signal.aborted) return;
    await attempt(work);
    if (!signal.aborted) setTimeout(turn, milliseconds);
  };
  void turn();
}

/** Does work, and says what went wrong where it did. */
export async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
    say('');
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** A sentence at the bottom of the page, which is read out. */
export function say(text: string): void {
  const status = document.getElementById('status');
  if (status && status.textContent !== text) status.textContent = text;
}
