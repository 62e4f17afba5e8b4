/** Check for upgrades of a host: begins with the request, and ends some time after its answer. */

import type { Resource } from '../../../model/resource.ts';
import { upgradeCheckDuration } from '../../../model/resources/host.ts';
import type { Addressed } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { defineDeadline, dueIn } from '../../core/deadlines.ts';
import { requireState } from '../../core/transitions.ts';
import type { StoredObject } from '../../store/document.ts';
import { isOutdated, software } from './hardware.ts';

const deadline = 'upgrade check';

/** Begins to look for updates of a host (`upgradecheck`). */
export function checkForUpgrade(ctx: RuleContext, { object: host }: Addressed<'host'>): undefined {
  requireState(ctx, 'host', host as StoredObject, 'upgrade_check', {
    action: 'check for upgrades of',
  });
  ctx.event('HOST_UPDATE_CHECK_STARTED', { host });
  const id = host.id ?? '';
  dueIn(ctx, deadline, id, upgradeCheckDuration * ctx.site.speed, { host: id }, { ofJob: true });
  return undefined;
}

export const upgradeCheckDeadline = defineDeadline(deadline, (ctx, { host: id }) => {
  const host = ctx.tx.get('host', String(id));
  if (!host) return;
  const available = isOutdated(host);
  ctx.tx.update('host', { ...host, update_available: available });
  if (available) ctx.event('HOST_UPDATES_AVAILABLE', { host });
  ctx.event(
    'HOST_UPDATES_CHECKED',
    { host },
    { Message: available ? foundUpdates() : 'no updates found' },
  );
});

function foundUpdates(): string {
  const { version } = software(true) as Resource<'host'>;
  return `found updates for packages ${version?.full_version}`;
}
