/** Numbers in hand-written pages, built from the constants of the code. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { DIRTY_BLOCK, REGION } from '../../src/images/dirty/bitmap.ts';
import { defaultLimits as daemon } from '../../src/images/http/limits.ts';
import { CONNECTIONS, LARGE_PIECE, SMALL_PIECE } from '../../src/images/system/piece-memory.ts';
import { BLOCK } from '../../src/images/tickets/written-digests.ts';
import { largestDisk } from '../../src/model/disk-sizes.ts';
import { maxRecordedBodyBytes } from '../../src/recording/redactor.ts';
import { maxBody, maxRequests } from '../../src/server/admin/request-journal.ts';
import { maximumPaths } from '../../src/server/api/follow-paths.ts';
import { keyLimits } from '../../src/server/api/idempotency.ts';
import { longestUnused } from '../../src/server/auth/sessions.ts';
import { defaultSignInLimits as signIn } from '../../src/server/auth/sign-in-throttle.ts';
import { tokensPerUser } from '../../src/server/auth/tokens.ts';
import { profileLimits as profile } from '../../src/server/core/profile-limits.ts';
import { lastingAfter } from '../../src/server/core/task-attempts.ts';
import { defaultBodyLimits as body } from '../../src/server/http/request-body.ts';
import { largestPool } from '../../src/server/reference-data/system-options.ts';
import { maximumValues } from '../../src/wire/json-parser.ts';

/** The value of a constant that its module does not export: a number, a text, or an object of them. */
function constant<T = number>(file: string, name: string): T {
  const text = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
  const source = text.replaceAll(/^ *\/\/.*$/gm, '');
  const declaration = /^(?:export )?const (\w+)(?:: \w+)? = ([^;]+?)(?: as const)?;/gm;
  // Limits that depend on the computer are documented for one with many processors.
  const values: Record<string, unknown> = { availableParallelism: () => 8 };
  for (const [, one = '', value = ''] of source.matchAll(declaration)) {
    try {
      values[one] = runInNewContext(`(${value})`, values);
    } catch {
      // It needs imports of its module, and is not one of the documented constants.
    }
  }
  if (values[name] === undefined) throw new Error(`src/${file} has no constant ${name}`);
  return values[name] as T;
}

const count = (value: number) => value.toLocaleString('en-US');
const kib = (bytes: number) => `${bytes / 2 ** 10} KiB`;
const mib = (bytes: number) => `${bytes / 2 ** 20} MiB`;
const tib = (bytes: number) => `${bytes / 2 ** 40} TiB`;
const seconds = (milliseconds: number) => `${milliseconds / 1_000} seconds`;
const minutes = (milliseconds: number) => `${milliseconds / 60_000} minutes`;
const hours = (milliseconds: number) => `${milliseconds / 3_600_000} hours`;

const connections = constant<{ connections: number; perAddress: number }>(
  'server/http/listener.ts',
  'connectionLimits',
);
const heartbeatTimeoutMs = constant('features/postgres/heartbeat.ts', 'heartbeatTimeoutMs');
const times = constant<{ headMs: number; stallMs: number }>('server/http/listener.ts', 'timeouts');
const waits = constant<{ perUser: number; total: number }>(
  'server/http/settlement.ts',
  'defaultLimits',
);
const sessions = constant<{ total: number; perUser: number; endedPerUser: number }>(
  'server/auth/sessions.ts',
  'defaultLimits',
);
const hashing = constant<{ atOnce: number; waiting: number; waitingPerParty: number }>(
  'server/auth/hashing-queue.ts',
  'defaultHashingLimits',
);
const imageMemory =
  constant('images/system/piece-memory.ts', 'LARGE_COUNT') * LARGE_PIECE +
  CONNECTIONS * SMALL_PIECE;

/** Sentences by page, as the page must contain them; white space does not count. */
export const documentedLimits: Readonly<Record<string, readonly string[]>> = {
  'docs/stand-in.md': [
    `the last ${count(maxRequests)} requests in memory, with bodies of up to ${kib(maxBody)} each and ${mib(constant('server/admin/request-journal.ts', 'maxBodies'))} in total`,
    `waits up to ${count(constant('server/admin/endpoints.ts', 'longestWait'))} milliseconds`,
    `larger than ${mib(maxRecordedBodyBytes)}`,
    `after ${constant('server/core/task-attempts.ts', 'mostCrashes')} crashes within ${lastingAfter === 60_000 ? 'a minute' : '?'} of its start, or ${constant('server/core/task-attempts.ts', 'mostInterruptions')} crashes in total`,
    `may have ${constant('search/parse.ts', 'maxConditions')} conditions, ${constant('search/parse.ts', 'maxRelated')} of them on related objects`,
    `may have ${maximumPaths} paths with ${constant('server/api/follow-paths.ts', 'maximumDepth')} links each`,
    `unique text of up to ${constant('server/api/idempotency.ts', 'longestKey')} characters`,
    `repeats its response for ${hours(constant('server/api/idempotency.ts', 'lifetime'))}`,
    `${signIn.perUserAtAddress} of one user at one address`,
    `doubled by each further failure, up to ${minutes(signIn.longestWait)}`,
    `${signIn.perAddress} of one address`,
    `${signIn.perUser} of one user from all addresses`,
    `Failures expire after ${minutes(signIn.memory)}`,
    `up to ${constant('server/auth/sign-in.ts', 'burst')} in a row, then one per minute`,
    `\`Session-TTL\` (default ${minutes(constant('server/auth/authenticate.ts', 'defaultIdle'))})`,
    `without a second request ends after ${longestUnused === 3_600_000 ? 'an hour' : '?'}`,
    `every ${minutes(constant('server/auth/sessions.ts', 'longestLag'))} at most`,
    `at most ${count(sessions.total)} sessions, ${count(sessions.perUser)} of one user`,
    `at most ${count(sessions.endedPerUser)} ended sessions of one user`,
    `| connections | ${count(connections.connections)}, and ${count(connections.perAddress)} from one address |`,
    `| head of a request | ${kib(constant('server/http/listener.ts', 'maxHeadBytes'))}, ${seconds(times.headMs)} |`,
    `| body | ${mib(constant('server/http/request-body.ts', 'defaultLimit'))}; ${mib(constant('server/http/request-body.ts', 'largeLimit'))} for actions`,
    `| body of a sign-in | ${kib(constant('server/http/auxiliary-endpoints.ts', 'maximumForm'))} |`,
    `| elements or values in a body | ${count(maximumValues)} |`,
    `| bodies in memory | ${mib(body.total)}, and ${mib(body.perAddress)} from one address`,
    `| pause in a body | ${seconds(body.silence)}; later at least ${body.slowest} bytes a second |`,
    `| slow bodies (more than a second) from one address | ${body.slowPerAddress} |`,
    `| pause while a client reads a response | ${seconds(times.stallMs)} |`,
    `| waiting requests (\`async=false\`) | ${count(waits.total)}, and ${waits.perUser} of one user`,
    `| duration of a wait (\`async=false\`) | ${minutes(constant('server/http/settlement.ts', 'longestWait'))} |`,
    `event subscriptions of a user | ${profile.objects} of each; then 409 |`,
    `and of all of a user | ${kib(profile.objectBytes)} and ${mib(profile.bytes)}; then 413 |`,
    `| changes of these | ${count(profile.changes)}, then one each ${profile.changeInterval === 1_000 ? 'second' : '?'}`,
    `| tokens of one user | ${count(tokensPerUser)}; the oldest end |`,
    `of one user | ${count(keyLimits.keys)}, with ${mib(keyLimits.bytes)} of responses`,
    `GlusterFS storage | ${largestDisk.file / 2 ** 50} PiB; then 400 |`,
    `| disk on block storage | ${tib(largestDisk.block)}; then 409 |`,
    `| VMs in a pool | ${count(largestPool)} |`,
    `hashes at most ${hashing.atOnce} passwords at the same time`,
    `At most ${hashing.waiting} hashes may wait, ${hashing.waitingPerParty} of them from one address`,
  ],
  'docs/image-daemon.md': [
    `| connections | ${CONNECTIONS} (\`--max-connections\`) |`,
    `| connections from one address | ${daemon.perAddress} (\`--max-per-address\`) |`,
    `| head of a request | ${seconds(daemon.head)} |`,
    `| TLS handshake | ${seconds(daemon.handshake)} |`,
    `| idle connection without a ticket | ${seconds(daemon.unauthorised)} |`,
    `| memory for images | ${mib(imageMemory)} |`,
    `the size of a block (default ${mib(BLOCK)})`,
    `hashes complete blocks of ${mib(BLOCK)} during a \`PUT\``,
    `0: forever (default ${constant('images/tickets/ticket-document.ts', 'INACTIVITY')})`,
  ],
  'docs/backup.md': [
    `each block of ${kib(DIRTY_BLOCK)} that was written`,
    `up to ${mib(REGION)} around a write`,
    `first write into a region of ${mib(REGION)}`,
    `description longer than ${count(constant('server/resources/vm/backup.ts', 'longestDescription'))} characters`,
  ],
  'docs/scale-out.md': [
    `is silent for ${seconds(heartbeatTimeoutMs)}`,
    `no response within ${constant('features/postgres/group-writer.ts', 'inquiryMs') === 60_000 ? 'a minute' : '?'}`,
    `up to six connections: ${['four'][constant('features/postgres/read-connections.ts', 'maxConnections') - 4]} for GET requests`,
    `one for each ${constant('server/api/generic.ts', 'partSize')} objects`,
  ],
  'docs/agents.md': [
    `longer than ${count(constant('features/mcp/run-tool.ts', 'maxLength'))} characters`,
    `A call ends after ${constant<string>('features/mcp/run-tool.ts', 'defaultTimeout').replace(/m$/, ' minutes')}`,
  ],
  'docs/internals.md': [
    `cache holds ${mib(constant('server/api/encoded-objects.ts', 'defaultMaxSize'))}`,
  ],
};
