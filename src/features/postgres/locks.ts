/** Advisory locks: who uses a site, who is starting, and who writes. */

/** The class of our locks: the first letters of our name. */
const lockClass = 0x766d6374;

const use = 1;
const start = 2;
const write = 3;

/** SQLSTATE of a lock that others have. */
export const lockNotAvailable = '55P03';

/** Tries a lock for a while: a connection that has just ended keeps its own for a moment. */
function tried(lock: string, tenths: number, otherwise: string): string {
  return `DO $$ BEGIN
    FOR i IN 1..${tenths} LOOP
      IF ${lock} THEN RETURN; END IF;
      PERFORM pg_sleep(0.1);
    END LOOP;
    RAISE EXCEPTION '${otherwise}' USING ERRCODE = 'lock_not_available';
  END $$`;
}

/** Has a session use a site together with others, for as long as it is connected. */
export const useShared = tried(
  `pg_try_advisory_lock_shared(${lockClass}, ${use})`,
  8,
  'another vmctl serve uses it exclusively',
);

/** Has a session use a site alone: nobody else can be connected. */
export const useAlone = tried(
  `pg_try_advisory_lock(${lockClass}, ${use})`,
  8,
  'another vmctl serve uses it',
);

/** Only one server starts at a time: what the first one makes is there for those that follow. */
export const beginStart = tried(
  `pg_try_advisory_lock(${lockClass}, ${start})`,
  500,
  'another vmctl serve is still starting',
);
export const endStart = `SELECT pg_advisory_unlock(${lockClass}, ${start})`;

/** Whether other sessions use the site. */
export const othersUse = `SELECT count(*) AS others FROM pg_locks
  WHERE locktype = 'advisory' AND classid = ${lockClass} AND objid = ${use} AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid <> pg_backend_pid()`;

/** Waits until nobody else writes; the lock ends with the transaction. */
export const writeAlone = `SELECT pg_advisory_xact_lock(${lockClass}, ${write})`;
