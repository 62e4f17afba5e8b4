/** Sealed machines and templates: their disks have nothing of what tells one guest from another. */
import type { RuleContext } from '../../core/context.ts';
import type { Vm } from './vm.ts';

/** No attribute shows it; templates can be searched by it. */
interface Sealable {
  readonly sealed?: boolean;
}

export function isSealed(object: object): boolean {
  return (object as Sealable).sealed === true;
}

/** Notes that a machine or template is sealed. Refuses what runs Windows: that seals itself. */
export function seal(ctx: RuleContext, object: Pick<Vm, 'os'>, action: string): void {
  if (object.os?.type?.startsWith('windows')) ctx.refuse('WINDOWS_CANNOT_BE_SEALED', { action });
  Object.assign(object, { sealed: true } satisfies Sealable);
}

/** A guest that boots makes itself different from all others. */
export function unsealed(vm: Vm): Vm {
  const { sealed: _sealed, ...rest } = vm as Vm & Sealable;
  return rest;
}
