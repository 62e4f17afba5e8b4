/** Flags of a verb that the model does not define. */
import { stateAttribute } from '../../client/wait-for-condition.ts';
import { isSearchable } from '../../model/index.ts';
import { defineFlag, type FlagSpec, parseFlagNotation } from '../args/parameters.ts';
import type { Verb } from './derive-verbs.ts';
import type { ModelFlag } from './flags.ts';
import { listFollowUpFlags } from './follow-up-actions.ts';
import { canBeNeedless } from './if-needed.ts';
import { networkSetupFlags } from './network-setup.ts';
import { runOnceFlags } from './run-once.ts';
import { canGlob, canSearch, canSelectAll } from './selection.ts';
import { getVerbOptions, isEventList } from './verb-names.ts';

/**
 * Lists the flags in the order of the help, without those that the model defines. `takesSeveral`:
 * whether arguments name several objects.
 */
export function listOwnFlags(
  verb: Verb,
  modelFlags: readonly ModelFlag[],
  takesSeveral: boolean,
): readonly FlagSpec[] {
  const flags = [
    ...listParentFlags(verb),
    ...listListFlags(verb),
    ...listTailFlags(verb),
    ...listBodyFlags(verb),
    ...listSpecificFlags(verb),
    ...listWaitFlags(verb),
    ...listSelectionFlags(verb),
    ...listParallelFlags(verb, takesSeveral),
  ];
  const taken = new Set(modelFlags.flatMap(({ names }) => names));
  return flags.filter(({ notation }) => !taken.has(parseFlagNotation(notation).long.slice(2)));
}

const noSearchCheck = defineFlag('--no-search-check', 'skip the validation of --search', {
  undoes: true,
});

function isChange({ kind }: Verb): boolean {
  return !['list', 'get', 'wait'].includes(kind);
}

function listParentFlags(verb: Verb): readonly FlagSpec[] {
  if (!verb.candidates.some(({ parents }) => parents.length > 0)) return [];
  const [parent] = verb.candidates.flatMap(({ parents }) => parents);
  const doc = `parent object with its kind, for example ${parent?.noun ?? 'vms'}/NAME`;
  return [defineFlag('--on <kind/ref>', doc, isChange(verb) ? { repeatable: true } : {})];
}

function listListFlags(verb: Verb): readonly FlagSpec[] {
  if (verb.kind !== 'list' || verb.isStatistics) return [];
  const canLimit = verb.candidates.some(({ operation }) => operation.query.includes('max'));
  const searchable = verb.candidates.some(({ operation }) => isSearchable(operation));
  return [
    ...(verb.noun === 'snapshots'
      ? [defineFlag('--tree', 'print a tree, with a mark at the current state of the VM')]
      : []),
    ...(canLimit ? [] : [defineFlag('--limit <n>', 'maximum number of objects')]),
    ...(searchable
      ? [
          noSearchCheck,
          defineFlag('--page <n>', 'number of the page to print; --limit sets the size of a page'),
          defineFlag('--page-size <n>', 'number of objects per request (default: all)'),
        ]
      : []),
    ...(isEventList(verb)
      ? []
      : [
          defineFlag(
            '--watch [interval]',
            'repeat the list until Ctrl-C (default interval 2s); without a terminal, print changes only',
          ),
          defineFlag('--interval <duration>', '', { hidden: true }),
        ]),
  ];
}

function listTailFlags(verb: Verb): readonly FlagSpec[] {
  if (!isEventList(verb)) return [];
  return [
    defineFlag('--on <kind/ref>', 'object that the events refer to, for example vms/web01'),
    defineFlag('--tail', 'print new events until Ctrl-C; with --limit N, the last N events first'),
    defineFlag('--cursor <file>', 'with --tail: file with the position for the next run'),
    defineFlag('--count <n>', 'with --tail: exit after this number of events'),
    defineFlag('--since <when>', 'with --tail: start at this time, or this long ago, as in 10m'),
    defineFlag(
      '--severity <words>',
      "with --tail: severities, for example error,alert or '>normal'",
    ),
    defineFlag('--until-idle <duration>', 'with --tail: exit if no event arrives during this time'),
    defineFlag('--interval <duration>', 'with --tail: poll interval (default 2s)'),
  ];
}

function listBodyFlags(verb: Verb): readonly FlagSpec[] {
  const hasBody =
    verb.kind === 'add' ||
    verb.kind === 'update' ||
    verb.candidates.some(({ operation }) => operation.body.some((one) => one !== 'async'));
  return [
    ...(verb.isStatistics
      ? [defineFlag('--statistic <ref>', 'statistic to show (name or id)')]
      : []),
    ...(isChange(verb) && hasBody
      ? [
          defineFlag('-f, --from-file <file>', 'attributes as JSON, YAML or XML; - for stdin'),
          defineFlag('--body <file>', '', { hidden: true }),
          defineFlag(
            '--set <path=value>',
            'set an attribute by its path, as in os.type=linux (may be repeated)',
            { repeatable: true },
          ),
          defineFlag('--set-json <path=json>', 'set an attribute to a JSON value', {
            repeatable: true,
          }),
        ]
      : []),
  ];
}

/** Flags that resources declare for the verb, or that follow-up steps need. */
function listSpecificFlags(verb: Verb): readonly FlagSpec[] {
  const { queryShortcut: shortcut, namesObject, foundBy = [] } = getVerbOptions(verb);
  const followUps = listFollowUpFlags(verb).map(({ name, value, doc }) =>
    defineFlag(value === undefined ? `--${name}` : `--${name} <${value}>`, doc),
  );
  const references = foundBy.map((attribute) =>
    defineFlag(
      `--${attribute} <ref>`,
      `${attribute} of the object, instead of its id (name or id)`,
      {
        type: `ref ${attribute}`,
      },
    ),
  );
  return [
    ...followUps,
    ...(hasPendingChanges(verb)
      ? [
          defineFlag(
            '--now',
            'change the running VM, and refuse changes that need a restart instead of postponing them',
          ),
        ]
      : []),
    ...(`${verb.noun} ${verb.name}` === 'hosts setup-networks' ? networkSetupFlags : []),
    ...(`${verb.noun} ${verb.name}` === 'vms start' ? runOnceFlags : []),
    ...(shortcut ? [defineFlag(`--${shortcut.flag}`, shortcut.doc)] : []),
    ...references,
    ...(namesObject || foundBy.length > 0
      ? [defineFlag('--object <kind/ref>', '', { hidden: true })]
      : []),
  ];
}

function listWaitFlags(verb: Verb): readonly FlagSpec[] {
  if (verb.kind === 'wait') {
    return [
      defineFlag(
        '--for <condition>',
        'condition: status=up, exists, gone or event=32 (default settled)',
      ),
      defineFlag('--timeout <duration>', 'timeout (default 10m)'),
    ];
  }
  if (!isChange(verb) || verb.kind === 'update') return [];
  const hidden = verb.candidates.every(
    ({ collection }) => stateAttribute(collection.type) === undefined,
  );
  return [
    defineFlag('--wait', 'wait for the operation to finish (default)', { hidden }),
    defineFlag('--no-wait', 'return before the operation finishes', { hidden, undoes: true }),
    defineFlag(
      '--for <condition>',
      'wait for this condition instead of the final state, as in status=up',
      { hidden },
    ),
    defineFlag('--wait-timeout <duration>', 'maximum time to wait (default 10m)', { hidden }),
    defineFlag('--async', '', { hidden: true }),
  ];
}

function listSelectionFlags(verb: Verb): readonly FlagSpec[] {
  const isSelectable = !getVerbOptions(verb).argument;
  const prompts = isChange(verb) ? '; asks first if several match' : '';
  return [
    ...(isChange(verb) && canBeNeedless(verb)
      ? [defineFlag('--if-needed', 'if nothing would change, send no request and exit with 0')]
      : []),
    ...(isSelectable && canSelectAll(verb)
      ? [defineFlag('--all', 'run for all objects, or all that match --search; asks first')]
      : []),
    ...(isSelectable && canSelectAll(verb) && canSearch(verb)
      ? [
          defineFlag(
            '--search <query>',
            'with --all, select objects by this query; @NAME is a bookmark',
          ),
          noSearchCheck,
        ]
      : []),
    ...(isSelectable && canGlob(verb)
      ? [defineFlag('--glob', `treat names as patterns: 'web*', 'db-?'${prompts}`)]
      : []),
  ];
}

function listParallelFlags(verb: Verb, takesSeveral: boolean): readonly FlagSpec[] {
  if (!takesSeveral) return [];
  return [
    defineFlag(
      '--parallel <n>',
      'number of objects to process at the same time, 1 to 16 (default 4)',
    ),
    ...(isChange(verb) ? [defineFlag('--fail-fast', 'stop after the first failure')] : []),
  ];
}

/** Whether changes of a running object can wait for its next start. */
export function hasPendingChanges({ kind, candidates }: Verb): boolean {
  return (
    kind === 'update' && candidates.some(({ operation }) => operation.query.includes('next_run'))
  );
}
