/** Hand-made commands: the generated table equals the declarations in their files. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { handMadeNouns } from '../../../src/cli/args/hand-made.generated.ts';
import { coreModules } from '../../../src/cli/modules.generated.ts';
import { nounModules } from '../../../src/cli/noun-modules.ts';
import { features } from '../../../src/features/index.ts';

it('has a module for each file of the core, under the name of the noun', async () => {
  const folder = fileURLToPath(new URL('../../../src/cli/commands', import.meta.url));
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  expect(files).toHaveLength(Object.keys(coreModules).length);
  for (const [name, load] of Object.entries(coreModules)) expect((await load()).name).toBe(name);
});

it('lists each folder of features, and loads the commands of features', async () => {
  const folder = fileURLToPath(new URL('../../../src/features', import.meta.url));
  const folders = readdirSync(folder).filter((name) => !name.endsWith('.ts'));
  expect(Object.keys(features)).toEqual(folders.sort());
  for (const [name, load] of Object.entries(nounModules)) expect((await load()).name).toBe(name);
});

it('is up to date: npm run build writes it anew', async () => {
  const modules = await Promise.all(Object.values(nounModules).map((load) => load()));
  const declared = modules
    .toSorted((a, b) => a.position - b.position)
    .map(({ name, doc, aliases, more, section, commands }) => ({
      name,
      ...(doc === undefined ? {} : { doc }),
      aliases,
      ...(more ? { more } : {}),
      ...(section ? { section } : {}),
      verbs: commands.flatMap(({ verb, aliases: others, summary }) =>
        verb === undefined ? [] : [{ name: verb, aliases: others, summary }],
      ),
    }));
  expect(handMadeNouns.map(({ features: _, ...noun }) => noun)).toEqual(declared);
  const owners = Object.fromEntries(
    handMadeNouns.map(({ name, features: all = [] }) => [name, all]),
  );
  for (const [feature, load] of Object.entries(features)) {
    const { commands = [] } = (await load()).default;
    for (const { name } of commands) expect(owners[name]).toContain(feature);
  }
});
