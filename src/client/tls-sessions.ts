/** TLS sessions for later processes: interface of the store, and lifetimes. */

/** Sessions by origin. The functions must not throw. */
export interface TlsSessions {
  /** Loads a session to resume, if any. */
  readonly load: (origin: string) => Buffer | undefined;
  /** Saves a session. `isVerified`: it began with a certificate, not with an earlier session. */
  readonly save: (origin: string, session: Buffer, isVerified: boolean) => void;
  /** Called when the server refuses a loaded session. */
  readonly refuse: (origin: string) => void;
}

/** Fields of a session in the format of OpenSSL (SSL_SESSION_ASN1), by tag. */
const tags = { timeout: 0xa2, lifetimeHint: 0xa9 } as const;

/** Maximum bytes that Node writes before a session. Newer versions add the host. */
const longestPrefix = 512;
const sequence = 0x30;

/** Lifetime of a new session in seconds. 0 if it has none. */
export function parseLifetime(session: Uint8Array): number {
  const all = findLastSequence(session);
  if (!all) return 0;
  const found = new Map<number, number>();
  let at = all.from;
  while (at < all.to) {
    const element = parseElement(session, at);
    if (!element) return 0;
    const inner = parseElement(session, element.from);
    if (inner?.tag === 0x02 && inner.to <= element.to) {
      found.set(element.tag, integer(session.subarray(inner.from, inner.to)));
    }
    at = element.to;
  }
  const timeout = found.get(tags.timeout) ?? 0;
  // Without a hint of the server, the client decides.
  return Math.min(timeout, found.get(tags.lifetimeHint) || timeout);
}

/** Sequence that ends at the last byte, after any prefix. */
function findLastSequence(bytes: Uint8Array): Element | undefined {
  for (let at = 0; at < Math.min(bytes.length, longestPrefix); at += 1) {
    const element = bytes[at] === sequence ? parseElement(bytes, at) : undefined;
    if (element?.to === bytes.length) return element;
  }
  return undefined;
}

interface Element {
  readonly tag: number;
  readonly from: number;
  readonly to: number;
}

/** Position of the content of a DER element. */
function parseElement(bytes: Uint8Array, at: number): Element | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) return undefined;
  const count = first < 0x80 ? 0 : first - 0x80;
  const from = at + 2 + count;
  const length = count === 0 ? first : integer(bytes.subarray(at + 2, from));
  return from + length <= bytes.length ? { tag, from, to: from + length } : undefined;
}

function integer(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}
