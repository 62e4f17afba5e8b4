/** The self-hosted engine: whether a host can run it. */

import type { RuleContext } from '../../core/context.ts';
import type { StoredObject } from '../../store/document.ts';

/** The state of the self-hosted engine on a host, where it is deployed or taken away. */
export function engineOf(
  ctx: RuleContext,
  action: string,
  { deploy, undeploy }: { deploy: boolean | undefined; undeploy: boolean | undefined },
): StoredObject | undefined {
  if (deploy && undeploy) ctx.refuse('HOST_ENGINE_BOTH', { action });
  if (!deploy && !undeploy) return undefined;
  const on = deploy === true;
  return {
    configured: on,
    active: on,
    score: on ? 3400 : 0,
    global_maintenance: false,
    local_maintenance: false,
  };
}
