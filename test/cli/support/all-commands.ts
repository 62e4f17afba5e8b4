/** All commands with their nouns: those of the model and the hand-made ones. */
import { nouns } from '../../../src/cli/args/catalog.ts';
import type { Command } from '../../../src/cli/args/command.ts';
import { nounModules } from '../../../src/cli/noun-modules.ts';
import { listVerbs } from '../../../src/cli/verbs/derive-verbs.ts';
import { createVerbCommand } from '../../../src/cli/verbs/verb-command.ts';

export async function allCommands(): Promise<readonly (readonly [string, Command])[]> {
  const derived = nouns
    .filter(({ api }) => api)
    .flatMap(({ name }) => listVerbs(name).map((verb) => [name, createVerbCommand(verb)] as const));
  const made = await Promise.all(
    Object.entries(nounModules).map(async ([name, load]) =>
      (await load()).commands.map((one) => [name, one] as const),
    ),
  );
  return [...derived, ...made.flat()];
}
