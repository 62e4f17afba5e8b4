/** Sign-in page of the authorization endpoint, without scripts. */
import { createHash } from 'node:crypto';
import type { ApiResponse } from '../api/request.ts';
import type { Authorization, CodeRequest } from '../auth/authorization-code.ts';

const style = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 10vh auto; max-width: 22rem; padding: 0 1rem; color: #1b1b1b; }
label { display: block; margin-top: 1rem; }
input { box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; border: 1px solid #6b6b6b; border-radius: 4px; }
button { margin-top: 1.5rem; width: 100%; padding: 0.6rem; font: inherit; color: #fff; background: #0b57a4; border: 0; border-radius: 4px; }
[role=alert] { color: #a30000; }
@media (prefers-color-scheme: dark) { body { color: #eee; background: #1b1b1b; } [role=alert] { color: #ff9c9c; } input { color: inherit; background: #2b2b2b; } }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

/** Encodes the result of the authorization endpoint. */
export function signInPage(result: Authorization, product: string): ApiResponse {
  if ('location' in result) {
    return { status: 302, headers: { ...pageHeaders("'none'"), Location: result.location } };
  }
  if ('refused' in result) {
    return createPage(
      400,
      "'none'",
      `<h1>Sign-in refused</h1>\n<p>${escapeHtml(result.refused)}</p>`,
    );
  }
  const { form, failure, status, headers } = result;
  // Browsers apply the directive to the redirection after the form as well.
  const targets = `'self' ${new URL(form.redirect).origin}`;
  const page = createPage(status, targets, formatForm(form, failure, product));
  return { ...page, headers: { ...page.headers, ...headers } };
}

function createPage(status: number, targets: string, content: string): ApiResponse {
  return {
    status,
    headers: { ...pageHeaders(targets), 'Content-Type': 'text/html;charset=UTF-8' },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sign in</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`,
  };
}

/**
 * Headers of pages and redirections. The referrer policy keeps the Origin header of the form, and
 * hides the address of the page from other sites.
 */
function pageHeaders(formTargets: string): Readonly<Record<string, string>> {
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${formTargets}; frame-ancestors 'none'; base-uri 'none'`,
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}

function formatForm(form: CodeRequest, failure: string | undefined, product: string): string {
  const hidden = {
    response_type: 'code',
    client_id: form.client,
    redirect_uri: form.redirect,
    scope: form.scope,
    state: form.state,
    code_challenge: form.challenge,
    code_challenge_method: 'S256',
  };
  const fields = Object.entries(hidden).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`,
  );
  return `<h1>Sign in</h1>
<p>The program <strong>${escapeHtml(form.client)}</strong> on this computer requests access to ${escapeHtml(product)} with your permissions. Continue only if you started it.</p>
${failure === undefined ? '' : `<p role="alert">${escapeHtml(failure)}</p>\n`}<form method="post" action="authorize">
${fields.join('\n')}
<label for="username">User name</label>
<input id="username" name="username" autocomplete="username" autocapitalize="none" spellcheck="false" placeholder="admin@internal" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
