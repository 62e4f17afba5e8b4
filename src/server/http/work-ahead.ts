/** Work ahead of the transaction of a request: permits first, then what is costly. */
import type { Call } from '../api/call.ts';
import { requirePermits } from '../api/dispatch.ts';
import { type ApiRequest, parametersOf } from '../api/request.ts';
import type { Authenticator } from '../auth/authenticate.ts';
import { needsPermitsAhead } from '../auth/authorise.ts';
import { type Caller, RuleContext } from '../core/context.ts';
import type { Site } from '../core/ports.ts';
import type { Store } from '../store/store.ts';

interface SiteStore {
  readonly store: Store;
  readonly site: Site;
}

/** Checks the permits before the transaction, which checks them again. */
function authoriseAhead({ store, site }: SiteStore, call: Call, caller: Caller): void {
  const parameters = parametersOf(call.request);
  store.read((tx) =>
    requirePermits(new RuleContext(tx, site, caller, undefined, parameters), call),
  );
}

/** Bytes of a body above which the permits are checked before it is read. */
const longBody = 64 * 2 ** 10;

function isLong({ header }: ApiRequest): boolean {
  const length = header('content-length');
  return length === undefined
    ? header('transfer-encoding') !== undefined
    : Number(length) > longBody;
}

/** Refuses a long body before it is read, unless the permits of the operation depend on it. */
export function authoriseLongBody(server: SiteStore, call: Call, caller: Caller): void {
  const { request, operation } = call;
  if (isLong(request) && needsPermitsAhead(operation)) authoriseAhead(server, call, caller);
}

/**
 * Hashes the password of a new user before the transaction, which would hold up all others. Refuses who
 * may not add users before anything is hashed. Returns what forgets the hash.
 */
export async function hashAhead(
  server: SiteStore & { readonly authenticator: Authenticator },
  call: Call,
  caller: Caller,
): Promise<(() => void) | undefined> {
  const { operation, body } = call;
  if (operation.type !== 'user' || operation.name !== 'add' || Array.isArray(body))
    return undefined;
  const { password } = body;
  if (typeof password !== 'string' || password === '') return undefined;
  authoriseAhead(server, call, caller);
  return server.authenticator.signIn.hashAhead(password, caller);
}
