/** Options of Gluster volumes. */
import type { ActionBody, Resource } from '../../../model/resource.ts';
import type { Action } from '../../core/behavior.ts';
import type { RuleContext } from '../../core/context.ts';
import { tell, volumesOf } from './tasks.ts';

type Volume = Resource<'gluster_volume'>;
type Option = NonNullable<Volume['options']>[number];

/** Options that a new volume has unless they are sent. */
export function usualOptions(sent: Volume['options']): Option[] {
  const given = sent ?? [];
  const open = given.some(({ name }) => name === 'auth.allow');
  return open ? given : [...given, { name: 'auth.allow', value: '*' }];
}

function keep(ctx: RuleContext, volume: Volume, options: Option[]): void {
  ctx.tx.update('gluster_volume', { ...volume, options }, volumesOf(volume));
}

function sentOption(body: ActionBody): { name: string; value: string } {
  const { name, value } = body['option'] ?? {};
  return { name: name ?? '', value: value ?? '' };
}

export const optionActions = {
  set_option(ctx, { object }, body) {
    const { name, value } = sentOption(body);
    const present = object.options ?? [];
    const known = present.some((option) => option.name === name);
    const changed = present.map((option) => (option.name === name ? { ...option, value } : option));
    keep(ctx, object, known ? changed : [...changed, { name, value }]);
    tell(ctx, 'VOLUME_OPTION_SET', object, { Key: name, Value: value });
    return undefined;
  },

  reset_option(ctx, { object }, body) {
    const { name } = sentOption(body);
    keep(
      ctx,
      object,
      (object.options ?? []).filter((option) => option.name !== name),
    );
    tell(ctx, 'VOLUME_OPTION_RESET', object, { Key: name });
    return undefined;
  },

  reset_all_options(ctx, { object }) {
    keep(ctx, object, []);
    tell(ctx, 'VOLUME_OPTIONS_RESET', object);
    return undefined;
  },
} satisfies Readonly<Record<string, Action<'gluster_volume'>>>;
