/** Objects that operations create in addition to the addressed object, by type and operation. */
import { type Makes, makesNothing } from '../notation/makes.ts';
import { allResources } from '../resources/index.ts';

/** Operations without an entry create only the object in their response. */
export const makesByType: Readonly<Record<string, Readonly<Record<string, readonly Makes[]>>>> =
  Object.fromEntries(
    allResources.flatMap(({ name, operations }) => {
      const making = Object.entries(operations ?? {}).flatMap(([operation, { makes }]) =>
        makes === undefined || makes === makesNothing ? [] : [[operation, makes] as const],
      );
      return making.length > 0 ? [[name, Object.fromEntries(making)]] : [];
    }),
  );
