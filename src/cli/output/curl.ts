/** A request as a curl command: what somebody can run, or show to somebody else. */
import type { HeldRequest } from '../../client/held.ts';
import type { Trust } from '../../client/http.ts';
import { shellWord } from '../../client/shell-word.ts';
import { maskedBody, maskedHeaders } from '../session/mask-secrets.ts';
import { harmless } from '../text/escape-control-chars.ts';

/** How curl is told whom to believe: the file of the authorities, or that it does not matter. */
export type CurlTrust = Pick<Trust, 'insecure'> & { readonly caFile?: string };

/** The command in one line, for a POSIX shell. The token is in VMCTL_TOKEN, never in the line. */
export function curlCommand(request: HeldRequest, trust: CurlTrust): string {
  const { method, origin, path, headers = {}, body } = request;
  const words = ['curl', ...methodWords(method)];
  if (trust.insecure) words.push('--insecure');
  else if (trust.caFile !== undefined) words.push('--cacert', shellWord(trust.caFile));
  words.push('-H', '"Authorization: Bearer $VMCTL_TOKEN"');
  for (const [name, value] of Object.entries(maskedHeaders(headers))) {
    if (name !== 'authorization') words.push('-H', shellWord(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', shellWord(maskedBody(body)));
  words.push(shellWord(`${origin}${path}`));
  return harmless.line(words.join(' '));
}

function methodWords(method: string): readonly string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}
