/**
 * Processes that report about themselves when they are asked: their CPU time, of which the system says
 * hundredths of a second alone, and how long their event loop was held.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What such a process loads first. Its threads load this, too, and have no channel. */
const reporter = `
import { monitorEventLoopDelay } from 'node:perf_hooks';
if (process.channel) {
  let delay;
  const reports = {
    cpu: () => process.cpuUsage(),
    watch() {
      delay ??= monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      delay.reset();
      return true;
    },
    hold: () => delay.max / 1e6,
  };
  process.on('message', (name) => process.send(reports[name]()));
  process.channel.unref();
}`;

/** Arguments of Node for a process that reports; it needs a channel (`ipc`). */
export const reporting = ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`];

/** CPU time of a process that reports, since its start, in seconds. */
export async function reportedCpu(child: ChildProcess): Promise<number> {
  const usage = (await reportOf(child, 'cpu')) as NodeJS.CpuUsage;
  return (usage.user + usage.system) / 1e6;
}

/** Has a process that reports look at its event loop from now on. */
export async function watchLoop(child: ChildProcess): Promise<void> {
  await reportOf(child, 'watch');
}

/** Milliseconds for which its event loop was held longest since it began to look. */
export async function longestHold(child: ChildProcess): Promise<number> {
  return (await reportOf(child, 'hold')) as number;
}

async function reportOf(child: ChildProcess, name: 'cpu' | 'watch' | 'hold'): Promise<unknown> {
  const message = once(child, 'message');
  child.send(name);
  const [report] = await message;
  return report;
}
