/**
 * Processes that report their CPU time more precisely than the system (hundredths of a second), and
 * their event loop delay.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** Preloaded script of these processes. Their threads load it too, without a channel. */
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

/** Arguments of Node for a reporting process, which needs a channel (`ipc`). */
export const reporting = ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`];

/** CPU time of a reporting process since its start, in seconds. */
export async function reportedCpu(child: ChildProcess): Promise<number> {
  const usage = (await requestReport(child, 'cpu')) as NodeJS.CpuUsage;
  return (usage.user + usage.system) / 1e6;
}

/** Starts to measure the event loop delay of a reporting process. */
export async function watchLoop(child: ChildProcess): Promise<void> {
  await requestReport(child, 'watch');
}

/** Longest event loop delay in milliseconds since then. */
export async function longestHold(child: ChildProcess): Promise<number> {
  return (await requestReport(child, 'hold')) as number;
}

async function requestReport(
  child: ChildProcess,
  name: 'cpu' | 'watch' | 'hold',
): Promise<unknown> {
  const message = once(child, 'message');
  child.send(name);
  const [report] = await message;
  return report;
}
