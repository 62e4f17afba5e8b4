/** Rules of instance types: machines that have one keep its hardware when it goes. */

import { erase } from '../../api/generic.ts';
import { define } from '../../core/behavior.ts';
import type { StoredObject } from '../../store/document.ts';

export const instanceTypeRules = define('instance_type', {
  events: { add: 'TEMPLATE_CREATED', update: 'TEMPLATE_UPDATED' },

  beforeCreate(_ctx, type) {
    type.memory ??= 1024 * 2 ** 20;
    type.cpu = { topology: { sockets: 1, cores: 1, threads: 1 }, ...type.cpu };
    type.high_availability = { enabled: false, priority: 0, ...type.high_availability };
    type.io = { threads: 1, ...type.io };
    type.usb = { enabled: false, ...type.usb };
    const memory = Number(type.memory);
    type.memory_policy = {
      guaranteed: memory,
      max: memory * 4,
      ballooning: true,
      ...type.memory_policy,
    };
  },

  remove(ctx, { place, object }) {
    for (const vm of ctx.tx.list('vm', { where: { instance_type_id: object.id ?? '' } })) {
      const { instance_type: _type, ...rest } = vm;
      ctx.tx.update('vm', rest);
    }
    ctx.event('TEMPLATE_REMOVED', {}, { TemplateName: object.name });
    erase(ctx, { place, object: object as StoredObject });
  },
});
