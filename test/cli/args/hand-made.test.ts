/** What the build has written down of the hand-made commands is what their files declare. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { handMadeNouns } from '../../../src/cli/args/hand-made.generated.ts';
import { nounModules } from '../../../src/cli/modules.generated.ts';

it('has a module for each file, under the name of the noun', async () => {
  const folder = fileURLToPath(new URL('../../../src/cli/commands', import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  expect(files).toHaveLength(Object.keys(nounModules).length);
  for (const [name, load] of Object.entries(nounModules)) expect((await load()).name).toBe(name);
});

it('is up to date: npm run build writes it anew', async () => {
  const modules = await Promise.all(Object.values(nounModules).map((load) => load()));
  const declared = modules
    .toSorted((a, b) => a.position - b.position)
    .map(({ name, doc, aliases, more, commands }) => ({
      name,
      ...(doc === undefined ? {} : { doc }),
      aliases,
      ...(more ? { more } : {}),
      verbs: commands.flatMap(({ verb, aliases: others, summary }) =>
        verb === undefined ? [] : [{ name: verb, aliases: others, summary }],
      ),
    }));
  expect(handMadeNouns).toEqual(declared);
});
