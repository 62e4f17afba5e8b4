/** Wrong names that the compiler reports: each line below an expectation must not compile. */
import { expect, it } from 'vitest';
import type { RuleContext } from '../../../src/server/core/context.ts';
import type { TransitionHandlers } from '../../../src/server/core/transition-handlers.ts';
import { beginTransition, requireState } from '../../../src/server/core/transitions.ts';
import type { ObjectOf } from '../../../src/server/store/transaction.ts';

type Handlers = TransitionHandlers<'vm'>;

/** Never called: `npm run typecheck` fails if one of these lines compiles. */
function mistakes(ctx: RuleContext, vm: ObjectOf<'vm'>, host: ObjectOf<'host'>): unknown[] {
  requireState(ctx, 'vm', vm, 'start');
  // @ts-expect-error Unknown transition.
  requireState(ctx, 'vm', vm, 'strat');
  // @ts-expect-error A type without a lifecycle has no transition.
  requireState(ctx, 'tag', {}, 'start');
  // @ts-expect-error Unknown transition.
  beginTransition(ctx, { kind: 'vm', collection: '/vms', operation: 'strat' }, vm);
  const install = { kind: 'host', collection: '/hosts', operation: 'install' } as const;
  // @ts-expect-error Unknown state.
  beginTransition(ctx, { ...install, to: 'upp' }, host);
  // @ts-expect-error Unknown state.
  ctx.tx.update('vm', { ...vm, status: 'dwon' });
  // @ts-expect-error Unknown event.
  ctx.event('VM_STRATED', { vm });
  // @ts-expect-error Unknown parameter of an event.
  ctx.event('VM_STARTED', { vm }, { HotsName: 'host1' });
  // @ts-expect-error Unknown parameter of a fault.
  ctx.refuse('VM_IS_STATELESS', { acton: 'run' });
  // @ts-expect-error Unknown fault.
  ctx.refuse('VM_IS_STATLESS', {});
  // @ts-expect-error Unknown attribute of a search.
  ctx.tx.find('host', { id: 'x' })?.clutser;
  const onEnd: Handlers['onEnd'] = {
    start: (_ctx, object) => object,
    // @ts-expect-error Unknown transition.
    strat: (_ctx: RuleContext, object: ObjectOf<'vm'>) => object,
  };
  const onCopyFailure: Handlers['onCopyFailure'] = {
    // @ts-expect-error Unknown transition.
    cloen: (_ctx: RuleContext, object: ObjectOf<'vm'>) => object,
  };
  return [onEnd, onCopyFailure];
}

it('names of transitions, states, events, faults and parameters are checked by the compiler', () => {
  expect(mistakes).toBeTypeOf('function');
});
