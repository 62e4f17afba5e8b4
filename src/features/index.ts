/** All features. To remove one, delete its line and its folder. */
import type { FeatureLoaders } from '../feature.ts';

export const features: FeatureLoaders = {
  conformance: () => import('./conformance/feature.ts'),
  dashboard: () => import('./dashboard/feature.ts'),
  mcp: () => import('./mcp/feature.ts'),
};
