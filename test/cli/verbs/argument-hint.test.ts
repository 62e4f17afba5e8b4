/** Hints of lists that get the name of a parent or of an object as an argument. */
import { describe, expect, it } from 'vitest';
import { listModelNouns } from '../../../src/cli/verbs/collections.ts';
import { findVerb } from '../../../src/cli/verbs/derive-verbs.ts';
import { vmctl } from '../support/run.ts';

const lists = listModelNouns().filter((noun) => {
  const verb = findVerb(noun, 'list');
  return verb?.candidates.every(({ owner }) => owner === undefined);
});

async function readHint(...words: string[]): Promise<string> {
  const { code, stderr } = await vmctl(words);
  expect(code, stderr).toBe(2);
  return /^hint: (.*)$/m.exec(stderr)?.[1] ?? '';
}

describe('the hint of a list with an argument', () => {
  it.each([
    ['snapshots list web01', 'vmctl snapshots list --vm web01'],
    ['nics list web01', 'vmctl nics list --vm web01'],
    ['vms list web01', 'vmctl vms get web01'],
    ['snapshots list first --vm web01', 'vmctl snapshots get first --vm web01'],
    ['nics list nic1 --on vms/web01', 'vmctl nics get nic1 --on vms/web01'],
    ['disks list web01', 'vmctl disks get web01; for a parent: vmctl disks list --on KIND/web01'],
  ])('for %s is %s', async (line, hint) => {
    expect(await readHint(...line.split(' '))).toContain(hint);
  });

  it.each(lists)('names an existing command for %s', async (noun) => {
    const hint = await readHint(noun, 'list', 'web01');
    const [, verb = '', rest = ''] = new RegExp(`vmctl ${noun} (\\S+) ([^;]*)`).exec(hint) ?? [];
    expect(rest).toContain(verb === 'list' && rest === '--help' ? '--help' : 'web01');
    const { code, stdout } = await vmctl([noun, verb, '--help']);
    expect(code).toBe(0);
    for (const [flag] of rest.matchAll(/--[a-z-]+/g)) {
      if (flag !== '--help') expect(stdout).toContain(`${flag} <`);
    }
  });
});
