/** Required permits of operations, with the objects on which the caller needs them. */
import { permitsByPath, permitsByType } from './derive/permits.ts';
import { primaryPath } from './index.ts';
import type { Need } from './notation/permits.ts';

/** The unconditional permits of an operation; undefined if only super users may call it. */
export function listNeeds(operation: {
  readonly service: string;
  readonly type: string;
  readonly name: string;
}): readonly Need[] | undefined {
  const { service, type, name } = operation;
  return permitsByPath[primaryPath(service)]?.[name] ?? permitsByType[type]?.[name];
}
