/** Static files of the web page, read on request. */
import { readFileSync } from 'node:fs';
import { builtFile } from '../../built-file.ts';
import type { PageSettings } from '../../server/admin/extension.ts';
import type { ApiResponse } from '../../server/api/request.ts';

/** Files with their media types, by path below `/_vmctl/`. */
const files: Readonly<Record<string, readonly [file: string, type: string]>> = {
  ui: ['index.html', 'text/html;charset=UTF-8'],
  'ui/app.js': ['app.js', 'text/javascript;charset=UTF-8'],
  'ui/style.css': ['style.css', 'text/css;charset=UTF-8'],
};

/** Content security policy: no external and no inline sources. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

/** Response with a file of the page; undefined for an unknown path. Needs no authentication. */
export function pageFile(path: string, settings: PageSettings): ApiResponse | undefined {
  const found = Object.hasOwn(files, path) ? files[path] : undefined;
  if (!found) return undefined;
  const [file, type] = found;
  const text = readFileSync(builtFile(`inspector/${file}`), 'utf8');
  return {
    status: 200,
    headers: {
      'Content-Type': type,
      'Content-Security-Policy': policy,
      'Cache-Control': 'no-cache',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
    },
    body: text.replace('{{appRoot}}', settings.appRoot).replace('{{scope}}', settings.scope),
  };
}
