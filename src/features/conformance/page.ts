/** HTML report of the findings, as one self-contained page. */

/** A row of the report. */
export interface ReportRow {
  readonly row: string;
  readonly operation: string;
  /** Success statuses of the specification. */
  readonly specification: string;
  readonly verdict: string;
  /** Observed behaviour of the service. */
  readonly service: string;
}

interface ReportHeader {
  readonly product: string;
  readonly url: string;
  readonly summary: string;
  readonly at: Date;
}

const style = `
:root { color-scheme: light dark; }
body { font: 15px/1.4 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .2rem .6rem; border-bottom: 1px solid #8886; vertical-align: top; overflow-wrap: anywhere; }
.differs { color: light-dark(#cf222e, #f85149); font-weight: bold; }
.conforms { color: light-dark(#1a7f37, #3fb950); }
.not-tried { opacity: .7; }
`;

/** Renders the page and escapes all texts from the service. */
export function renderReport(
  all: readonly ReportRow[],
  { product, url, summary, at }: ReportHeader,
): string {
  const rows = all.map(
    ({ row, operation, verdict, specification, service }) =>
      `<tr><td>${escapeHtml(row)}</td><td>${escapeHtml(operation)}</td>` +
      `<td class="${verdict.replace(' ', '-')}">${escapeHtml(verdict)}</td>` +
      `<td>${escapeHtml(specification)}</td><td>${escapeHtml(service)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escapeHtml(product)}</title>
<style>${style}</style>
</head>
<body>
<h1>Conformance of ${escapeHtml(product)}</h1>
<p>${escapeHtml(url)}, ${at.toISOString()}</p>
<p>${escapeHtml(summary)}</p>
<table>
<thead><tr><th>Row</th><th>Operation</th><th>Verdict</th><th>Specification</th><th>Service</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
