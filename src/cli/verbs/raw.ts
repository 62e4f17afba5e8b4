/** `-o raw`: what the service answers, byte for byte. */
import type { Call } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { formatOf } from '../output/print.ts';
import { write } from '../session/io.ts';
import type { SettingName } from '../session/settings.ts';
import { kebab } from './fields.ts';
import type { Run } from './run.ts';

/** What would have to be done to an answer. */
const changing: readonly SettingName[] = ['sort', 'query', 'utc', 'columns', 'csvSafe'];
const rereading = ['pageSize', 'watch', 'tail', 'limit'];

/** Whether answers are printed untouched. Throws `UsageError` for flags that this leaves no room for. */
export function isRaw({ cli, options, query }: Run): boolean {
  if (formatOf(cli) !== 'raw') return false;
  const name = changing.find((one) => cli.setting(one)?.origin === 'flag');
  const option = rereading.find(
    (one) => options[one] !== undefined && !(one === 'limit' && 'max' in query),
  );
  const given = name ?? option;
  if (given === undefined) return true;
  const flag = `--${kebab(given)}`;
  throw new UsageError(`${flag} is not valid with -o raw`, {
    hint: `remove ${flag}, or use -o json`,
  });
}

/** Prints the answer to one request. On a terminal nothing in it can steer that. */
export async function printRaw({ cli, client }: Run, call: Call): Promise<void> {
  const { stdout } = cli.io;
  const decoder = stdout.isTTY === true ? new TextDecoder() : undefined;
  for await (const piece of client.bytes(call)) {
    if (piece.length === 0) continue;
    await write(
      stdout,
      decoder ? escapeControlChars.json(decoder.decode(piece, { stream: true })) : piece,
    );
  }
  if (decoder) await write(stdout, '\n');
}
