/** Every example of help, run against a service that has what the examples name. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandEntry } from '../../src/cli/help/command-manifest.ts';
import { projectRoot } from '../support/server.ts';
import { selectSlowCases } from '../support/slow-tests.ts';
import { before } from './before.ts';
import { expectEffect } from './effects.ts';
import { asRun, needsShell } from './execution.ts';
import { allNouns, commandPages } from './shown.ts';
import { type ExamplesSite, startExamplesSite } from './site.ts';

/**
 * Unsupported features of the test service, by command or example: exit code, message and reason.
 */
const refusals: Readonly<Record<string, readonly [code: number, says: string, reason: string]>> = {
  'vms cancel-migration': [6, 'The VM is not migrating', 'a migration ends at once here'],
  'vms maintenance': [6, 'hosted engine', 'the stand-in runs no engine in a machine'],
  'hosts approve': [6, 'awaits approval', 'no host asks to be approved by itself'],
  'storagedomains reduce-luns': [6, 'Only block storage', 'the example storage is NFS'],
  'storagedomains refresh-luns': [6, 'Only block storage', 'the example storage is NFS'],
  'disks reduce': [6, 'block storage', 'the example storage is NFS'],
  'disks refresh-lun': [6, 'logical units only', 'the example storage is NFS'],
  'vmctl disks upload root.qcow2 --resume': [
    3,
    ': no interrupted transfer to resume',
    'nothing was interrupted; test/e2e/disks.test.ts interrupts transfers and goes on with them',
  ],
  'vmctl disks download root copy.qcow2 --resume': [
    3,
    ': no interrupted transfer to resume',
    'nothing was interrupted; test/e2e/disks.test.ts interrupts transfers and goes on with them',
  ],
  'glustervolumes stop-rebalance': [6, 'No rebalance is in progress', 'it ends at once here'],
  'schedulingpolicyunits delete': [6, 'part of the service', 'there is no scheduler beside it'],
  'cdroms create': [6, 'Every VM has exactly one', 'a machine has its drive from the start'],
  'clusterfeatures get': [3, 'not found', 'the cluster levels have no further features'],
  'clusterfeatures wait': [7, '', 'the cluster levels have no further features'],
  'enabledfeatures get': [3, 'not found', 'the cluster levels have no further features'],
  'enabledfeatures delete': [3, 'not found', 'the cluster levels have no further features'],
  'enabledfeatures wait': [7, '', 'the cluster levels have no further features'],
  'externalnetworkproviderconfigurations get': [3, 'not found', 'hosts have none here'],
  'externalnetworkproviderconfigurations wait': [7, '', 'hosts have none here'],
};

let site: ExamplesSite;
/** Whether the last example may have left something behind. */
let isSpoilt = false;

beforeAll(async () => {
  site = await startExamplesSite();
  process.chdir(site.folder);
});
afterAll(async () => {
  process.chdir(projectRoot);
  await site.stop();
});

const nouns = await allNouns();
const pages = selectSlowCases(
  await commandPages(nouns),
  'test/examples/help.test.ts',
  ({ entry }) => entry.name,
).flatMap(({ entry, examples }) => {
  const lines = examples.filter((line) => !needsShell(line));
  // The page of `help` is that of `vmctl --help`, whose examples run in a shell.
  return entry.name === 'help' || lines.length === 0 ? [] : { name: entry.name, entry, lines };
});
const shownNouns = nouns.filter(({ name }) => pages.some(({ entry }) => entry.noun === name));

/** A document that says what the flags of the first example say. */
async function writeDocument(example: string): Promise<void> {
  const held = await site.must(`${example} --dry-run -o json`);
  const [first] = [JSON.parse(held)].flat() as { body: unknown }[];
  writeFileSync(join(site.folder, 'new.yaml'), JSON.stringify(first?.body));
}

async function prepare({ name, noun }: CommandEntry): Promise<void> {
  for (const line of before[name] ?? before[noun] ?? []) {
    if (line.startsWith('= ')) await site.adopt(line.slice(2));
    else await site.must(`${line} --yes`);
  }
}

describe.each(shownNouns)('examples of $name', ({ name: noun }) => {
  const shown = pages.filter(({ entry }) => entry.noun === noun);
  it.each(shown)('vmctl $name', async ({ entry, lines }) => {
    const changes = entry.calls.some(({ method }) => method !== 'GET');
    const isPrepared = (before[entry.name] ?? before[entry.noun] ?? []).length > 0;
    for (const example of lines) {
      if (isSpoilt) await site.restore();
      isSpoilt = changes || isPrepared;
      await prepare(entry);
      if (example.includes(' -f new.yaml')) await writeDocument(entry.examples[0] ?? '');
      const [refused, says] = refusals[entry.name] ?? refusals[example] ?? [0, ''];
      const patience = refused === 7 ? ' --timeout 10ms' : '';
      const result = await site.run(`${asRun(example)}${changes ? ' --yes' : ''}${patience}`);
      expect(result.code, `${example}: ${result.stderr}`).toBe(refused);
      expect(result.stderr, example).toContain(says);
      if (refused === 0) await expectEffect(site, entry, example, result.stdout);
    }
  });
});
