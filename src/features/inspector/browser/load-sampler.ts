/** Sampler of the load of hosts, from sign-in to sign-out, in every section of the page. */
import { type HostLoad, LoadHistory, readHostLoad } from './host-load.ts';
import { formatError } from './section.ts';
import type { Session } from './session.ts';

export const intervalMs = 5_000;
export const periodMs = 600_000;

/** Dispatches the event `sample` after each attempt. */
export class LoadSampler extends EventTarget {
  readonly history = new LoadHistory(periodMs);
  /** Hosts of the last sample; undefined before the first one. */
  hosts: readonly HostLoad[] | undefined;
  /** Error of the last attempt. It is not in the status line, which belongs to the open section. */
  error: string | undefined;

  /** Takes samples until the signal aborts. */
  async run(session: Session, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const hosts = await session.list('/hosts?follow=statistics', { signal });
        this.hosts = hosts.map(readHostLoad);
        this.history.add(Date.now(), this.hosts);
        this.error = undefined;
      } catch (error) {
        this.error = formatError(error);
      }
      if (signal.aborted) return;
      this.dispatchEvent(new Event('sample'));
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  }
}
