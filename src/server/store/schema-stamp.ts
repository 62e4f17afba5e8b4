/** Hash of all table definitions of this version. The build computes it. */
import { createHash } from 'node:crypto';
import { storedKinds } from './kinds.ts';
import { createIndexes, createTable, fixedTables, schemaVersion } from './schema.ts';

const kinds = storedKinds().map((kind) => [createTable(kind), ...createIndexes(kind)]);

/** Earlier builds created indexes later, so that their tables may lack some. */
const indexing = 'with each table';

/** `user_version` of databases that have all tables, columns and indexes of this version. */
export const schemaStamp = createHash('sha256')
  .update(JSON.stringify([schemaVersion, fixedTables, kinds, indexing]))
  .digest()
  .readInt32BE();
