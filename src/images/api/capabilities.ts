/** OPTIONS: methods and features of the daemon, or of one ticket. */
import type { Exchange } from '../http/exchange.ts';
import type { Services } from './services.ts';

const READING = { methods: 'OPTIONS,GET', features: ['checksum', 'extents'] };
const WRITING = {
  methods: 'OPTIONS,GET,PUT,PATCH',
  features: ['checksum', 'extents', 'flush', 'zero'],
};
/** Useful connections to one image for reading or writing. More are not faster. */
const MAX_PARALLEL = 8;

/** Answers OPTIONS on `/images/*`. */
export async function answerGeneralOptions(exchange: Exchange, services: Services): Promise<void> {
  await exchange.json(
    { features: WRITING.features, ...localAddress(services) },
    { Allow: WRITING.methods },
  );
}

/**
 * Answers OPTIONS on a ticket, which counts as a use of it. Opens the image, to report an
 * unreadable image early. Throws 403, 500.
 */
export async function answerOptions(
  exchange: Exchange,
  services: Services,
  id: string,
): Promise<void> {
  const live = services.tickets.find(id);
  const operation = live.begin('read');
  try {
    exchange.authorised(live);
    await operation.backend();
  } finally {
    operation.finish();
  }
  const { methods, features } = live.ticket.ops.includes('write') ? WRITING : READING;
  await exchange.json(
    {
      features,
      max_readers: MAX_PARALLEL,
      max_writers: MAX_PARALLEL,
      ...localAddress(services),
    },
    { Allow: methods },
  );
}

function localAddress({ unixSocket }: Services): { unix_socket?: string } {
  return unixSocket === undefined ? {} : { unix_socket: unixSocket };
}
