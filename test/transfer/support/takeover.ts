/** Servers that take a transfer over from each other, as a client sees them: the service and their daemons. */
import { FakeDaemon } from './fake-daemon.ts';
import { away, type FakeService } from './fake-service.ts';

/** What the service says of a transfer, at one look after the other, until somebody has taken it over. */
export type Seen = 'as before' | 'away' | 'nobody has it';

const looking = 'get /imagetransfers/{imagetransfer}';

/** Lets the service say one thing after the other of its transfer, and then that it is at this address. */
export function takeOver(service: FakeService, url: () => string | undefined, seen: Seen[]): void {
  const { transfer } = service;
  const { before: earlier } = service;
  service.before = (call) => {
    earlier(call);
    if (call !== looking) return;
    const next = seen.shift() ?? 'taken over';
    if (next === 'away') throw away();
    if (next === 'as before') return;
    const address = next === 'taken over' ? url() : undefined;
    if (address === undefined) {
      delete transfer['transfer_url'];
      delete transfer['proxy_url'];
    } else {
      transfer['transfer_url'] = address;
      transfer['proxy_url'] = address;
      service.before = earlier;
    }
  };
}

/** A daemon of another server, which sees what is on the storage that both have. */
export async function successorOf(daemon: FakeDaemon): Promise<FakeDaemon> {
  const next = await FakeDaemon.start(daemon.stable.length);
  next.current = Buffer.from(daemon.stable);
  next.stable = Buffer.from(daemon.stable);
  for (const ticket of daemon.tickets) next.tickets.add(ticket);
  return next;
}
