/** The rules of every kind that has any beyond the generic handling. */
import type { KindName } from '../store/kinds.ts';
import type { Rules } from './behavior.ts';

const registered = new Map<KindName, Rules>();

/** Adds the rules of kinds; the last ones count. */
export function register(...declarations: readonly { readonly kind: KindName }[]): void {
  for (const declaration of declarations) registered.set(declaration.kind, declaration);
}

/** The rules of a kind, where it has any. */
export function rulesOf(kind: KindName): Rules | undefined {
  return registered.get(kind);
}
