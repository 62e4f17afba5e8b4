/** List of all features. To remove a feature, delete its line and its folder. */
import type { FeatureLoaders } from '../feature.ts';

export const features: FeatureLoaders = {
  access: () => import('./access/feature.ts'),
  aliases: () => import('./aliases/feature.ts'),
  backups: () => import('./backups/feature.ts'),
  conformance: () => import('./conformance/feature.ts'),
  dashboard: () => import('./dashboard/feature.ts'),
  definitions: () => import('./definitions/feature.ts'),
  describe: () => import('./describe/feature.ts'),
  edit: () => import('./edit/feature.ts'),
  faults: () => import('./faults/feature.ts'),
  history: () => import('./history/feature.ts'),
  inspector: () => import('./inspector/feature.ts'),
  mcp: () => import('./mcp/feature.ts'),
  ova: () => import('./ova/feature.ts'),
  postgres: () => import('./postgres/feature.ts'),
  qemu: () => import('./qemu/feature.ts'),
  recording: () => import('./recording/feature.ts'),
};
