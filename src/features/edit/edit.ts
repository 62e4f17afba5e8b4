/** Command `edit`: opens an object in an editor, and sends the changed attributes. */

import { getErrorMessage } from '../../caught-errors.ts';
import { formatCommandLine } from '../../cli/session/command-line.ts';
import { canPrompt, confirm } from '../../cli/session/prompt.ts';
import { runWorks, sendUpdate } from '../../cli/verbs/change.ts';
import { parseDocument } from '../../cli/verbs/documents.ts';
import { fetchNamed } from '../../cli/verbs/get.ts';
import { listReferenceLinks } from '../../cli/verbs/list-enrichment.ts';
import { type FoundObject, findOperation, getPlaceholder } from '../../cli/verbs/references.ts';
import type { Run } from '../../cli/verbs/run.ts';
import { resolveTargets } from '../../cli/verbs/selection.ts';
import type { ApiObject } from '../../client/client.ts';
import { ConflictError, DeclinedError, UsageError } from '../../client/errors.ts';
import { type ParsedText, parseYaml } from '../../definitions/yaml-text.ts';
import { isRecord } from '../../records.ts';
import {
  type Change,
  formatChange,
  formatDocument,
  listChanges,
  refuseReadOnly,
  selectChanged,
  type Values,
} from './document.ts';
import { EditedFile, getEditorCommand, runEditor } from './editor.ts';

/** Object with its document. */
interface Subject {
  readonly item: ApiObject;
  readonly text: string;
  readonly values: Values;
}

/** Changed attributes of an edited document, and the body of the update. */
interface Edit {
  readonly changes: readonly Change[];
  readonly body: Record<string, unknown>;
}

/** Edits the object of the run. */
export async function runEdit(run: Run): Promise<void> {
  const { cli } = run;
  const command = getEditorCommand(cli);
  const [target] = await resolveTargets(run);
  if (!target) return;
  const subject = await readSubject(run, target);
  const file = new EditedFile(target.label, subject.text);
  try {
    const edit = await editUntilValid(run, file, subject, command);
    if (edit) {
      for (const change of edit.changes) cli.note(`${target.label}: ${formatChange(change)}`);
      await confirmChanges(run, target);
      await requireUnchanged(run, target, subject);
    } else cli.note(`${target.label}: no changes; nothing to do`);
    await runWorks(run, [
      async (progress) =>
        edit
          ? await sendUpdate(run, target, edit.body, progress, subject.item)
          : { item: subject.item, isWhole: true },
    ]);
  } catch (error) {
    if (!isEdited(file, subject)) file.remove();
    else {
      // The file also has the old values, which would overwrite the change of others.
      const isOutdated = error instanceof ConflictError && error.code === 'changed_since';
      // An update leaves attributes without a line unchanged.
      const isPartial = isOutdated || (await hasRemovals(run, file, subject));
      const retry = isPartial ? '' : `; ${formatRetry(run, target, file)} sends it`;
      cli.warn(`the edited file is "${file.path}"${retry}`);
    }
    throw error;
  }
  file.remove();
}

/** Command that sends the edited file. */
function formatRetry(run: Run, { id }: FoundObject, { path }: EditedFile): string {
  const { cli, verb, resolved } = run;
  const parents = [...resolved.parentWords].flatMap(([name, word]) => [`--${name}`, word]);
  const { words } = run;
  return formatCommandLine(cli, [verb.noun, 'update', words[0] ?? id, ...parents, '-f', path]);
}

/** Whether lines were removed, which only `edit` sends as empty values. */
async function hasRemovals(run: Run, file: EditedFile, subject: Subject): Promise<boolean> {
  try {
    const { type } = run.resolved.candidate.operation;
    const { values } = await parse(file.read(), file.path);
    return listChanges(type, subject.values, values).some(({ to }) => to === undefined);
  } catch {
    // Once the reported error is corrected, the command sends the file.
    return false;
  }
}

function isEdited(file: EditedFile, { text }: Subject): boolean {
  try {
    return file.read() !== text;
  } catch {
    return false;
  }
}

/** Reads the object, with the names of its references. */
async function readSubject(run: Run, { id, label }: FoundObject): Promise<Subject> {
  const { collection } = run.resolved.candidate;
  const operation = findOperation(collection.object ?? '', 'get');
  if (!operation) throw new Error(`The model cannot read ${collection.noun}.`);
  const isFollowed = operation.query.includes('follow');
  const item = await fetchNamed(run, {
    operation,
    ids: { ...run.ids, [getPlaceholder(collection)]: id },
    query: isFollowed ? { follow: listReferenceLinks(collection.type) } : {},
    what: `get ${label}`,
  });
  const text = await formatDocument(label, collection.type, item);
  return { item, text, values: (await parse(text, label)).values };
}

/** Runs the editor, on a terminal again after errors. Returns undefined without a change. */
async function editUntilValid(
  run: Run,
  file: EditedFile,
  subject: Subject,
  command: string,
): Promise<Edit | undefined> {
  const { cli } = run;
  for (;;) {
    await runEditor(cli, command, file.path);
    try {
      return await readEdit(run, file, subject);
    } catch (error) {
      if (!(error instanceof UsageError) || !canPrompt(cli.io, cli.isOn('noInput'))) throw error;
      cli.warn(error.message);
      if (!(await confirm(cli.io, 'Edit the file again?', cli.signal))) throw error;
    }
  }
}

/** Reads the edited document. Throws `UsageError` with the position of an error. */
async function readEdit(run: Run, file: EditedFile, subject: Subject): Promise<Edit | undefined> {
  const { type } = run.resolved.candidate.operation;
  const text = file.read();
  if (text === subject.text) return undefined;
  const { values, place } = await parse(text, file.path);
  const changes = listChanges(type, subject.values, values);
  if (changes.length === 0) return undefined;
  refuseReadOnly(type, values, place);
  const decoded = await parseDocument(run.cli, text, { type }, 'update', file.path);
  return { changes, body: selectChanged(type, subject.values, values, decoded) };
}

interface Parsed extends Pick<ParsedText, 'place'> {
  readonly values: Values;
}

async function parse(text: string, name: string): Promise<Parsed> {
  let parsed: ParsedText;
  try {
    parsed = await parseYaml(text, name);
  } catch (error) {
    throw new UsageError(getErrorMessage(error), { code: 'bad_document', cause: error });
  }
  const { value, place } = parsed;
  if (isRecord(value)) return { values: value, place };
  throw new UsageError(`${name}:1:1: expected one object`, {
    code: 'bad_document',
    hint: 'use one line for each attribute: name: value',
  });
}

/** Asks before the request; `--yes` and `--dry-run` skip the question. */
async function confirmChanges({ cli }: Run, { label }: FoundObject): Promise<void> {
  if (cli.isOn('yes') || cli.dryRunMode) return;
  const what = `change ${label}`;
  if (!canPrompt(cli.io, cli.isOn('noInput'))) {
    throw new DeclinedError(`cannot ${what} without confirmation`, {
      hint: 'confirm with --yes; --dry-run shows the request',
    });
  }
  if (await confirm(cli.io, `${what.charAt(0).toUpperCase()}${what.slice(1)}?`, cli.signal)) return;
  throw new DeclinedError('declined; nothing changed');
}

/** Reads the object again, and refuses the update if another request has changed it. */
async function requireUnchanged(run: Run, target: FoundObject, subject: Subject): Promise<void> {
  const now = await readSubject(run, target);
  const { type } = run.resolved.candidate.operation;
  const changes = listChanges(type, subject.values, now.values);
  if (changes.length === 0) return;
  const what = changes.map(formatChange).join('; ');
  throw new ConflictError(`${target.label} has changed in the meantime: ${what}`, {
    code: 'changed_since',
    hint: 'edit it again to see the new values',
  });
}
