/** Verb `edit` of all nouns whose objects can be read and updated. */
import type { Command, NounModule } from '../../cli/args/command.ts';
import { type ArgumentSpec, defineFlag } from '../../cli/args/parameters.ts';
import { listCollections, listModelNouns } from '../../cli/verbs/collections.ts';
import { findVerb, type Verb } from '../../cli/verbs/derive-verbs.ts';
import { createExamples } from '../../cli/verbs/examples.ts';
import { deriveFlags } from '../../cli/verbs/flags.ts';
import type { Run } from '../../cli/verbs/run.ts';
import { createVerbCommand } from '../../cli/verbs/verb-command.ts';
import { listOperations } from '../../model/index.ts';

/** Nouns with `edit`. */
export const commands: readonly NounModule[] = listModelNouns()
  .filter((noun) => listCollections(noun).some(({ object }) => canEdit(object)))
  .map((name) => ({
    name,
    aliases: [],
    position: Number.MAX_SAFE_INTEGER,
    // Derives flags only for the noun of the command.
    get commands() {
      const update = findVerb(name, 'update');
      return update?.name === 'update' ? [createEditCommand(update)] : [];
    },
  }));

/** Whether the objects of a path can be read and updated. */
function canEdit(object: string | undefined): boolean {
  const names = object === undefined ? [] : listOperations(object).map(({ name }) => name);
  return names.includes('get') && names.includes('update');
}

function createEditCommand(update: Verb): Command {
  const candidates = update.candidates.filter(({ collection }) => canEdit(collection.object));
  const verb: Verb = { ...update, candidates };
  const perform = async (run: Run) => {
    const { runEdit } = await import('./edit.ts');
    await runEdit(run);
  };
  const { exits, offline, calls, run, ...base } = createVerbCommand(verb, {}, perform);
  const what = base.purpose.replace(/^\w+ /, '').replace(/\.$/, '');
  return {
    noun: verb.noun,
    verb: 'edit',
    aliases: [],
    purpose: `Edit ${what} as YAML in an editor`,
    summary: `Edit ${what} in an editor`,
    arguments: base.arguments.map(requireOne),
    flags: [
      ...base.flags.filter(({ section }) => section === 'parents'),
      ...(base.flags.some(({ notation }) => notation.startsWith('--on '))
        ? [defineFlag('--on <kind/ref>', 'parent object with its kind, for example vms/NAME')]
        : []),
    ],
    get examples() {
      const named: Verb = { ...verb, name: 'edit', kind: 'get' };
      return createExamples(named, deriveFlags(named)).slice(0, 1);
    },
    notes:
      'Opens VISUAL, EDITOR or vi with the attributes that an update can change. Afterwards, it prints the\n' +
      'changes, asks for confirmation (--yes skips the question) and sends only changed attributes. It sends\n' +
      'nothing if another user has changed the object in the meantime. After an error, the edited file\n' +
      'remains, and stderr has its path.',
    ...{ exits, offline, calls, run },
    prints: 'row',
  };
}

/** Replaces a list of objects by one object. */
function requireOne(spec: ArgumentSpec): ArgumentSpec {
  if (!spec.notation.includes('...')) return spec;
  return { notation: `<${spec.notation.replaceAll(/[<>[\].]/g, '')}>`, doc: 'Name or id' };
}
