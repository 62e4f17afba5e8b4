/** Sessions of TLS that a later process goes on with: who keeps them, and for how long they are good. */

/** Sessions by the origin of their server. Nothing of it may throw. */
export interface TlsSessions {
  /** One to go on with, if there is one. */
  readonly load: (origin: string) => Buffer | undefined;
  /** Keeps a session; `isVerified` when it began with a certificate and not with a session before it. */
  readonly save: (origin: string, session: Buffer, isVerified: boolean) => void;
  /** The server does not go on with the one that was loaded. */
  readonly refuse: (origin: string) => void;
}

/** Fields of a session as OpenSSL writes it (SSL_SESSION_ASN1), by their tags. */
const tags = { timeout: 0xa2, lifetimeHint: 0xa9 } as const;

/** Bytes at most that Node writes before a session: newer versions say which host it is of. */
const longestPrefix = 512;
const sequence = 0x30;

/** Seconds for which a session that was just made is good; 0 where it does not say so. */
export function lifetimeOf(session: Uint8Array): number {
  const all = sequenceAtEnd(session);
  if (!all) return 0;
  const found = new Map<number, number>();
  let at = all.from;
  while (at < all.to) {
    const element = elementAt(session, at);
    if (!element) return 0;
    const inner = elementAt(session, element.from);
    if (inner?.tag === 0x02 && inner.to <= element.to) {
      found.set(element.tag, integer(session.subarray(inner.from, inner.to)));
    }
    at = element.to;
  }
  const timeout = found.get(tags.timeout) ?? 0;
  // Where the server says nothing it is up to the client.
  return Math.min(timeout, found.get(tags.lifetimeHint) || timeout);
}

/** What reaches to the last byte, whatever stands before it. */
function sequenceAtEnd(bytes: Uint8Array): Element | undefined {
  for (let at = 0; at < Math.min(bytes.length, longestPrefix); at += 1) {
    const element = bytes[at] === sequence ? elementAt(bytes, at) : undefined;
    if (element?.to === bytes.length) return element;
  }
  return undefined;
}

interface Element {
  readonly tag: number;
  readonly from: number;
  readonly to: number;
}

/** An element of DER: where its content is. */
function elementAt(bytes: Uint8Array, at: number): Element | undefined {
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
