/** The findings about a service as one page of HTML, which needs nothing beside itself. */

/** A row of the report. */
export interface Reported {
  readonly row: string;
  readonly operation: string;
  /** What the specification says: statuses of success. */
  readonly specification: string;
  readonly verdict: string;
  /** What the service does. */
  readonly service: string;
}

interface About {
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

/** The page; all texts of the service are escaped. */
export function reportPage(all: readonly Reported[], { product, url, summary, at }: About): string {
  const rows = all.map(
    ({ row, operation, verdict, specification, service }) =>
      `<tr><td>${escaped(row)}</td><td>${escaped(operation)}</td>` +
      `<td class="${verdict.replace(' ', '-')}">${escaped(verdict)}</td>` +
      `<td>${escaped(specification)}</td><td>${escaped(service)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(product)}</title>
<style>${style}</style>
</head>
<body>
<h1>Conformance of ${escaped(product)}</h1>
<p>${escaped(url)}, ${at.toISOString()}</p>
<p>${escaped(summary)}</p>
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

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
