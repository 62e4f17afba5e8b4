/** Data that operations delete in addition to the addressed object, by type and operation. */
import { allResources } from '../resources/index.ts';

export const alsoDeletedByType: Readonly<Record<string, Readonly<Record<string, string>>>> =
  Object.fromEntries(
    allResources.flatMap(({ name, operations }) => {
      const deleting = Object.entries(operations ?? {}).flatMap(([operation, { alsoDeletes }]) =>
        alsoDeletes === undefined ? [] : [[operation, alsoDeletes] as const],
      );
      return deleting.length > 0 ? [[name, Object.fromEntries(deleting)]] : [];
    }),
  );
