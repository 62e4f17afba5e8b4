/** Actions that neither stop work nor lose data, by type. */
import { allResources } from '../resources/index.ts';

export const harmlessActions: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  allResources.flatMap(({ name, operations }) => {
    const harmless = Object.entries(operations ?? {}).flatMap(([operation, rule]) =>
      rule.harmless ? [operation] : [],
    );
    return harmless.length > 0 ? [[name, harmless]] : [];
  }),
);
