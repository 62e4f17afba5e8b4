/** A request as a curl command: what somebody can run, or show to somebody else. */
import type { HeldRequest } from '../../client/held.ts';
import type { Trust } from '../../client/http.ts';
import { harmless } from './harmless.ts';
import { maskedBody, maskedHeaders } from './secrets.ts';

/** How curl is told whom to believe: the file of the authorities, or that it does not matter. */
export type CurlTrust = Pick<Trust, 'insecure'> & { readonly caFile?: string };

/** The command in one line, for a POSIX shell. The token is in VMCTL_TOKEN, never in the line. */
export function curlCommand(request: HeldRequest, trust: CurlTrust): string {
  const { method, origin, path, headers = {}, body } = request;
  const words = ['curl', ...methodWords(method)];
  if (trust.insecure) words.push('--insecure');
  else if (trust.caFile !== undefined) words.push('--cacert', quoted(trust.caFile));
  words.push('-H', '"Authorization: Bearer $VMCTL_TOKEN"');
  for (const [name, value] of Object.entries(maskedHeaders(headers))) {
    if (name !== 'authorization') words.push('-H', quoted(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', quoted(maskedBody(body)));
  words.push(quoted(`${origin}${path}`));
  return harmless.line(words.join(' '));
}

function methodWords(method: string): readonly string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}

/** A word for the shell: as it is where that is unmistakable, else in single quotes. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
