/** Operations that the QEMU driver does not support yet. */
import type { UnsupportedOperation } from '../../server/core/hypervisor.ts';

export const unsupportedOperations: readonly UnsupportedOperation[] = [];
