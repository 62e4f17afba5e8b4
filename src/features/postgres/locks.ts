/** Advisory locks for the use of a site, for its start and for writes. */

/** Class of the locks: the letters `vmct`. */
const lockClass = 0x766d6374;

const use = 1;
const start = 2;
const write = 3;

/** SQLSTATE of a lock that another session holds. */
export const lockNotAvailable = '55P03';

/** Statement that retries a lock, because a lost connection keeps its locks for a moment. */
function retryLock(lock: string, tenths: number, otherwise: string): string {
  return `DO $$ BEGIN
    FOR i IN 1..${tenths} LOOP
      IF ${lock} THEN RETURN; END IF;
      PERFORM pg_sleep(0.1);
    END LOOP;
    RAISE EXCEPTION '${otherwise}' USING ERRCODE = 'lock_not_available';
  END $$`;
}

/** Uses a site together with other sessions, until the session ends. */
export const useShared = retryLock(
  `pg_try_advisory_lock_shared(${lockClass}, ${use})`,
  8,
  'another vmctl serve uses it exclusively',
);

/** Uses a site exclusively. */
export const useAlone = retryLock(
  `pg_try_advisory_lock(${lockClass}, ${use})`,
  8,
  'another vmctl serve uses it',
);

/** Serializes server starts, so that the first server creates the site for the others. */
export const beginStart = retryLock(
  `pg_try_advisory_lock(${lockClass}, ${start})`,
  500,
  'another vmctl serve is still starting',
);
export const endStart = `SELECT pg_advisory_unlock(${lockClass}, ${start})`;

/** Number of other sessions that use the site. */
export const othersUse = `SELECT count(*) AS others FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = ${use} AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid <> pg_backend_pid()`;

/** Waits for the write lock of the site, which ends with the transaction. */
export const writeAlone = `SELECT pg_advisory_xact_lock(${lockClass}, ${write})`;
