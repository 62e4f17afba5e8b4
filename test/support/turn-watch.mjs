/**
 * Preload for a server (`--import`): records the CPU time of the longest turn of its event loop, in
 * milliseconds. Unlike wall-clock time, it does not grow when other processes use the processors.
 * Writes to the file in `TURN_WATCH_FILE`; SIGUSR2 restarts the measurement.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.TURN_WATCH_FILE;
/** The system counts in hundredths of a second. */
const tick = 10;

/** CPU time of the main thread in milliseconds. */
function cpuTime() {
  const text = readFileSync(`/proc/self/task/${process.pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tick;
}

if (isMainThread && file) {
  let last = cpuTime();
  let longest = -1;
  setInterval(() => {
    const now = cpuTime();
    if (now - last > longest) {
      longest = now - last;
      writeFileSync(file, String(longest));
    }
    last = now;
  }, tick).unref();
  process.on('SIGUSR2', () => {
    longest = -1;
  });
}
