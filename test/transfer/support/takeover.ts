/**
 * Servers that take over a transfer from each other: the responses of the service, and the daemons.
 */
import { FakeDaemon } from './fake-daemon.ts';
import { away, type FakeService } from './fake-service.ts';

/** Response of the service to a read of the transfer, until a server has taken it over. */
export type ServiceResponse = 'as before' | 'unavailable' | 'without a server';

const looking = 'get /imagetransfers/{imagetransfer}';

/** Lets the service give these responses in turn, and then the address of the new server. */
export function takeOver(
  service: FakeService,
  url: () => string | undefined,
  seen: ServiceResponse[],
): void {
  const { transfer } = service;
  const { before: earlier } = service;
  service.before = (call) => {
    earlier(call);
    if (call !== looking) return;
    const next = seen.shift() ?? 'taken over';
    if (next === 'unavailable') throw away();
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

/** The daemon of another server with the same storage. */
export async function startSuccessor(daemon: FakeDaemon): Promise<FakeDaemon> {
  const next = await FakeDaemon.start(daemon.stable.length);
  next.current = Buffer.from(daemon.stable);
  next.stable = Buffer.from(daemon.stable);
  for (const ticket of daemon.tickets) next.tickets.add(ticket);
  return next;
}
