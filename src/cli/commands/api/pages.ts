/** `vmctl api GET ... --paginate`: all pages of a list as one document. */
import { UsageError } from '../../../client/errors.ts';
import { errorOf } from '../../../client/faults.ts';
import type { Answer } from '../../../client/http.ts';
import type { Cli } from '../../session/command-context.ts';
import { write } from '../../session/io.ts';
import { harmless } from '../../text/escape-control-chars.ts';

const usualPage = 100;

/** Reads a list page by page: `search=... page N` (specification 4.3), as one document. */
export async function writePages(
  cli: Cli,
  path: string,
  get: (path: string) => Promise<Answer>,
): Promise<void> {
  const [base = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  const search = parameters.get('search') ?? '';
  const size = Number(parameters.get('max') ?? usualPage);
  parameters.set('max', String(size));
  let merged: Record<string, unknown[]> | undefined;
  for (let page = 1; ; page += 1) {
    parameters.set('search', `${search} page ${page}`.trim());
    // A query part of a form has + for blanks, which is no blank elsewhere.
    const address = `${base}?${parameters.toString().replaceAll('+', '%20')}`;
    const answer = await get(address);
    if (answer.status !== 200) {
      throw errorOf(answer, { request: { method: 'GET', origin: '', path: address } });
    }
    const [name, items] = listIn(answer, base);
    merged ??= { [name]: [] };
    const all = Object.values(merged)[0] ?? [];
    all.push(...items);
    if (items.length < size) break;
  }
  await write(cli.io.stdout, `${harmless.json(JSON.stringify(merged))}\n`);
}

function listIn({ body }: Answer, path: string): [string, readonly unknown[]] {
  const document = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  const found = Object.entries(document).find(([, value]) => Array.isArray(value));
  if (found) return [found[0], found[1] as unknown[]];
  if (Object.keys(document).length === 0) return ['items', []];
  throw new UsageError(`${path} is no list`, { hint: 'leave --paginate out' });
}
