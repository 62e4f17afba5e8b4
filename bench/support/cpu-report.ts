/** Processes that report their CPU time when they are asked: what the system says is in hundredths. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** What such a process loads first. Its threads load this, too, and have no channel. */
const reporter =
  'if (process.channel) { process.on("message", () => process.send(process.cpuUsage())); process.channel.unref(); }';

/** Arguments of Node for a process that reports; it needs a channel (`ipc`). */
export const reporting = ['--import', `data:text/javascript,${encodeURIComponent(reporter)}`];

/** CPU time of a process that reports, since its start, in seconds. */
export async function reportedCpu(child: ChildProcess): Promise<number> {
  const message = once(child, 'message');
  child.send('cpu');
  const [usage] = (await message) as [NodeJS.CpuUsage];
  return (usage.user + usage.system) / 1e6;
}
