/** A request as a curl command: what somebody can run, or show to somebody else. */
import type { DryRunRequest } from '../../client/dry-run.ts';
import type { Trust } from '../../client/http.ts';
import { shellQuote } from '../../client/shell-quote.ts';
import { harmless } from './harmless.ts';
import { maskedBody, maskedHeaders } from './secrets.ts';

/** How curl is told whom to believe: the file of the authorities, or that it does not matter. */
export type CurlTrust = Pick<Trust, 'insecure'> & { readonly caFile?: string };

/** The command in one line, for a POSIX shell. The token is in VMCTL_TOKEN, never in the line. */
export function curlCommand(request: DryRunRequest, trust: CurlTrust): string {
  const { method, origin, path, headers = {}, body } = request;
  const words = ['curl', ...methodWords(method)];
  if (trust.insecure) words.push('--insecure');
  else if (trust.caFile !== undefined) words.push('--cacert', shellQuote(trust.caFile));
  words.push('-H', '"Authorization: Bearer $VMCTL_TOKEN"');
  for (const [name, value] of Object.entries(maskedHeaders(headers))) {
    if (name !== 'authorization') words.push('-H', shellQuote(`${name}: ${value}`));
  }
  if (body !== undefined) words.push('--data-raw', shellQuote(maskedBody(body)));
  words.push(shellQuote(`${origin}${path}`));
  return harmless.line(words.join(' '));
}

function methodWords(method: string): readonly string[] {
  if (method === 'GET') return [];
  return method === 'HEAD' ? ['--head'] : ['--request', method];
}
