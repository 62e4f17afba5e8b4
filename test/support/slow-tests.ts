/**
 * Selection of slow tests for a run of CI: test files of changed sources, and one sixth of all
 * others. Without the variables, a run executes all tests.
 */
import { createHash } from 'node:crypto';

/** Parts of the slow tests. A run without a change of their sources executes one of them. */
const parts = 6;
/** Fraction of the cases of a file that selects its cases, after a change of its sources. */
const affectedParts = 3;
/** `0` to `5`: the part of this run. */
const currentPart = process.env['VMCTL_TEST_PART'];
/** Changed paths, one per line. `.` means all paths. */
const changed = (process.env['VMCTL_TEST_CHANGED'] ?? '').split('\n').filter((path) => path !== '');

/** Whether this run skips some cases. */
export const isPart = currentPart !== undefined;

/** Sources with the slow tests that cover them. */
export const areas: readonly { readonly sources: RegExp; readonly tests: RegExp }[] = [
  {
    sources: /^(?:bin|completions|src\/(?:cli|client|definitions|recording))\//,
    tests:
      /^test\/(?:commands|examples)\/|^test\/e2e\/(?:bad-input|day|endless-answers|help-pages|lean|long-list|one-connection|relative-data|special-names|terminal|terminal-widths|walk-through)\./,
  },
  {
    sources: /^src\/(?:extents|formats|hash|images|ovf|transfer|server\/images)\//,
    tests:
      /^test\/transfer\/takeover\/|^test\/faults\/(?:client-calls-fail|daemon-kills|daemon-requests|devices|handover-kills|interleaving|ranges)\.|^test\/e2e\/(?:disk-sources|disks|download-to-stream|failed-disk-actions|hostile-images|images|images-folder|images-serve|ova|qcow2-transfers|shared-storage|slow-downloads|small-transfers)\./,
  },
  {
    sources:
      /^src\/server\/(?:backup|core|files|folder|inventory|reference-data|resources|seed|store)\/|^src\/testkit\/|^src\/(?:server\/)?[^/]+\.ts$/,
    tests:
      /^test\/faults\/(?:backup-kills|catalogue|clock|every-call-fails|failed-tasks|kill|power-cut|races|restart-time|server-kills|several-servers|soak|stopping|storage|store-folder|task-crashes|unflushed)\.|^test\/e2e\/(?:backup|backup-changes|backup-commands|backup-generations|durability|inventory-memory|stand-in|testkit)\./,
  },
  {
    sources: /^src\/(?:search|wire|http-listener|server\/(?:admin|api|auth|http|tls))\//,
    tests:
      /^test\/faults\/(?:authorisation-matrix|bad-lines|far-hosts|follow-limits|names-and-secrets|origin|parsing|proxies|resources|search-limits|secrets|sign-in|slow-clients|smuggling|targets|who-\w+-what)\.|^test\/e2e\/(?:connections|door)\.|^test\/write-back\//,
  },
  {
    sources: /^src\/(?:model|specification)\//,
    tests:
      /^test\/(?:examples|write-back)\/|^test\/commands\/(?:columns|completion|explain-schema|tasks|walk)\.|^test\/faults\/(?:secrets|who-\w+-what)\.|^test\/e2e\/walk-through\./,
  },
  { sources: /^src\/features\/[^/]+$|^src\/feature\.ts$/, tests: /^test\/e2e\/delete-features\./ },
];

/** Whether changed paths affect a slow test: its sources, itself, or the support of its folder. */
export function isAffected(test: string, paths: readonly string[] = changed): boolean {
  const feature = /^test\/(features\/[^/]+)\//.exec(test)?.[1];
  const folder = test.slice(0, test.lastIndexOf('/'));
  return paths.some(
    (path) =>
      path === '.' ||
      path === test ||
      path.startsWith(`${folder}/support/`) ||
      (feature !== undefined && path.startsWith(`src/${feature}/`)) ||
      areas.some(({ sources, tests }) => sources.test(path) && tests.test(test)),
  );
}

/** Whether the changed paths contain a test file itself, or the support of its folder. */
function isChanged(test: string): boolean {
  const folder = test.slice(0, test.lastIndexOf('/'));
  return changed.some(
    (path) => path === '.' || path === test || path.startsWith(`${folder}/support/`),
  );
}

/** Whether files below a folder have changed. */
export function hasChangesBelow(folder: string): boolean {
  return changed.some((path) => path === '.' || path.startsWith(`${folder}/`));
}

/** Selects by the hash of a name, so that new cases do not move the others to other parts. */
function isInPart(name: string, part: string, count: number): boolean {
  const hash = createHash('sha256').update(name).digest();
  // This byte of the hash divides the cases into parts with similar run times.
  return hash.readUInt8(9) % count === Number(part) % count;
}

/** Test files of this run: all affected files, and a sixth of the others. */
export function selectSlowFiles(
  files: readonly string[],
  part = currentPart,
  paths = changed,
): readonly string[] {
  if (part === undefined) return files;
  return files.filter((file) => isAffected(file, paths) || isInPart(file, part, parts));
}

/**
 * Cases of a test file for this run: all if the file has changed, a third if its sources have
 * changed, and otherwise a sixth.
 */
export function selectSlowCases<Case>(
  cases: readonly Case[],
  test: string,
  getName: (one: Case) => string = String,
): readonly Case[] {
  const part = currentPart;
  if (part === undefined || isChanged(test)) return cases;
  const count = isAffected(test) ? affectedParts : parts;
  return cases.filter((one) => isInPart(getName(one), part, count));
}
