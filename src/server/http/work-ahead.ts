/** Work before the transaction of a request: permissions first, then costly work. */
import { requirePermits } from '../api/change.ts';
import { type ApiRequest, createParameters } from '../api/request.ts';
import { needsPermitsAhead } from '../auth/authorise.ts';
import { RuleContext } from '../core/context.ts';
import type { RequestContext } from './request-context.ts';

/** Checks the permissions before the transaction, which checks them again. */
function authoriseAhead(ctx: RequestContext): void {
  const { caller, request, server } = ctx;
  const { site, store } = server;
  const parameters = createParameters(request);
  store.read((tx) => requirePermits(new RuleContext(tx, site, caller, undefined, parameters), ctx));
}

/** Bytes of a body above which the permissions are checked before it is read. */
const longBody = 64 * 2 ** 10;

function isLong({ header }: ApiRequest): boolean {
  const length = header('content-length');
  return length === undefined
    ? header('transfer-encoding') !== undefined
    : Number(length) > longBody;
}

/** Refuses a long body before it is read, unless the permissions depend on it. */
export function authoriseLongBody(ctx: RequestContext): void {
  if (isLong(ctx.request) && needsPermitsAhead(ctx.operation)) authoriseAhead(ctx);
}

/** Reads the screen of a real VM before the transaction of its screenshot. */
export async function captureScreenAhead(ctx: RequestContext): Promise<void> {
  const { match, operation, server } = ctx;
  const { hypervisor } = server.site;
  if (!hypervisor || operation.type !== 'vm' || operation.name !== 'screenshot') return;
  authoriseAhead(ctx);
  await hypervisor.captureScreen(match.ids.at(-1) ?? '').catch(server.report);
}

/**
 * Hashes the password of a new user before the transaction, which would delay all other changes. Checks
 * the permissions first. Returns a function that discards the hash.
 */
export async function hashAhead(ctx: RequestContext): Promise<(() => void) | undefined> {
  const { body, caller, operation, server } = ctx;
  if (operation.type !== 'user' || operation.name !== 'add' || Array.isArray(body)) {
    return undefined;
  }
  const { password } = body;
  if (typeof password !== 'string' || password === '') return undefined;
  authoriseAhead(ctx);
  return server.authenticator.signIn.hashAhead(password, caller);
}
