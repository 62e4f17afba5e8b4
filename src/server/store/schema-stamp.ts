/** A number for all tables of this version. Data: the build works it out. */
import { createHash } from 'node:crypto';
import { storedKinds } from './kinds.ts';
import { createIndexes, createTable, fixedTables, schemaVersion } from './schema.ts';

const kinds = storedKinds().map((kind) => [createTable(kind), ...createIndexes(kind)]);

/** Earlier builds created indexes later, so that their tables may lack some. */
const indexing = 'with each table';

/** Databases have it as their `user_version` that have all tables, columns and indexes of this version. */
export const schemaStamp = createHash('sha256')
  .update(JSON.stringify([schemaVersion, fixedTables, kinds, indexing]))
  .digest()
  .readInt32BE();
