/** Output of `-o xml`: lists and objects in the XML of the service. */
import type { Call, Client } from '../../client/client.ts';
import { createPageCall, hasShifted, type Paging } from '../../client/paging.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { getPluralTag } from '../../model/index.ts';
import type { CommandContext } from '../session/command-context.ts';
import { write } from '../session/io.ts';
import type { Run } from './run.ts';

/** Prints a list; several pages become one document. */
export async function printList(run: Run, call: Call, paging: Paging | undefined): Promise<void> {
  const { cli, client } = run;
  let last = '';
  for await (const text of paging ? mergePages(client, call, paging) : client.xml(call)) {
    if (text === '') continue;
    await write(cli.io.stdout, escapeControlChars.xml(text));
    last = text;
  }
  if (last !== '' && !last.endsWith('\n')) await write(cli.io.stdout, '\n');
  const { max } = run.query;
  if (max !== undefined && Number(max) > 0) {
    const { noun } = run.resolved.candidate.collection;
    cli.note(`showing at most ${max} ${noun} (--limit)`);
  }
}

/** Complete document: `<vms>…</vms>`, or empty: `<vms/>`. */
const documentPattern = /^\s*(<\?xml[^>]*\?>\s*)?<(\w+)([^<>]*?)(?:\/>|>([\s\S]*)<\/\2\s*>)\s*$/;

/** Merges pages under the root of the first, without duplicates and gaps, like `pages`. */
async function* mergePages(
  client: Client,
  call: Call,
  { size, limit = Number.POSITIVE_INFINITY, onShift }: Paging,
): AsyncGenerator<string> {
  const printedIds = new Set<string>();
  const fresh = function* (objects: readonly Child[]): Generator<string> {
    for (const { id, text } of objects) {
      if (printedIds.size >= limit || printedIds.has(id)) continue;
      printedIds.add(id);
      yield `    ${text}\n`;
    }
  };
  let end = '';
  let last: string | undefined;
  for (let page = 1; printedIds.size < limit; page += 1) {
    const { head, root, objects } = parsePage(
      await readDocument(client, createPageCall(call, page, size)),
    );
    if (page === 1) {
      yield head;
      end = `</${root}>\n`;
    }
    yield* fresh(objects);
    if (page > 1 && (await hasShifted(client, call, (page - 1) * size, last))) {
      onShift?.();
      yield* fresh(
        parsePage(await readDocument(client, createPageCall(call, page - 1, size))).objects,
      );
    }
    if (objects.length < size) break;
    last = objects.at(-1)?.id;
  }
  yield end;
}

interface ParsedPage {
  /** Declaration and start tag of the root. */
  readonly head: string;
  readonly root: string;
  readonly objects: readonly Child[];
}

function parsePage(text: string): ParsedPage {
  const [, declaration = '', root = '', attributes = '', inner = ''] =
    documentPattern.exec(text) ?? [];
  return { head: `${declaration}<${root}${attributes}>\n`, root, objects: listObjects(inner) };
}

interface Child {
  readonly id: string;
  readonly text: string;
}

/** Lists the direct child elements with an id, which are the objects. */
function listObjects(inner: string): readonly Child[] {
  const children: Child[] = [];
  const tags = /<(\/?)([\w:.-]+)([^<>]*?)(\/?)>|<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>/g;
  let depth = 0;
  let start = 0;
  let id: string | undefined;
  for (const found of inner.matchAll(tags)) {
    const [tag, closing, name, attributes = '', empty] = found;
    if (name === undefined) continue;
    if (closing) depth -= 1;
    else if (depth === 0) {
      start = found.index;
      id = /\bid="([^"]*)"/.exec(attributes)?.[1];
    }
    if (!closing && !empty) depth += 1;
    if (depth === 0 && id !== undefined) {
      children.push({ id, text: inner.slice(start, found.index + tag.length) });
    }
  }
  return children;
}

/** Reads the complete document of a response. */
export async function readDocument(client: Client, call: Call): Promise<string> {
  let text = '';
  for await (const piece of client.xml(call)) text += piece;
  return text;
}

/** Prints one document unchanged, or several below the root element of a list. */
export async function printDocuments(
  cli: CommandContext,
  type: string,
  documents: readonly string[],
): Promise<void> {
  const [only = ''] = documents;
  if (documents.length === 1) {
    await write(cli.io.stdout, escapeControlChars.xml(only).replace(/\n?$/, '\n'));
    return;
  }
  const plural = getPluralTag(type);
  const inner = documents.map((text) => text.replace(/^\s*<\?xml[^>]*\?>\s*/, '').trim());
  const text = ['<?xml version="1.0" encoding="UTF-8"?>', `<${plural}>`, ...inner, `</${plural}>`];
  await write(cli.io.stdout, escapeControlChars.xml(`${text.join('\n')}\n`));
}
