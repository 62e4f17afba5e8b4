/** Output of `-o raw`: the response of the service, byte for byte. */
import type { Call } from '../../client/client.ts';
import { UsageError } from '../../client/errors.ts';
import { escapeControlChars } from '../../escape-control-chars.ts';
import { getFormat } from '../output/print.ts';
import { write } from '../session/io.ts';
import type { SettingName } from '../session/settings.ts';
import { toKebabCase } from './fields.ts';
import type { Run } from './run.ts';

/** Flags that would modify the response, or need several. */
const modifyingSettings: readonly SettingName[] = ['sort', 'query', 'utc', 'columns', 'csvSafe'];
const repeatingOptions = ['pageSize', 'watch', 'tail', 'limit'];

/** Whether responses are printed unchanged. Throws `UsageError` for conflicting flags. */
export function isRaw({ cli, options, query }: Run): boolean {
  if (getFormat(cli) !== 'raw') return false;
  const name = modifyingSettings.find((one) => cli.setting(one)?.origin === 'flag');
  const option = repeatingOptions.find(
    (one) => options[one] !== undefined && !(one === 'limit' && 'max' in query),
  );
  const given = name ?? option;
  if (given === undefined) return true;
  const flag = `--${toKebabCase(given)}`;
  throw new UsageError(`${flag} is not valid with -o raw`, {
    hint: `remove ${flag}, or use -o json`,
  });
}

/** Prints the response to one request. On a terminal, escapes control characters. */
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
