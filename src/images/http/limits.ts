/** Limits of the daemon on connections. */

export interface Limits {
  /** Milliseconds for the head of a request, also for the first one on a connection. */
  readonly head: number;
  /** Milliseconds for a TLS handshake. */
  readonly handshake: number;
  /** Milliseconds that a connection without a ticket may be idle. */
  readonly unauthorised: number;
  /** Maximum connections to images, limited by the memory. */
  readonly connections: number;
  /** Maximum connections to images from one network address. */
  readonly perAddress: number;
}

export const defaultLimits: Limits = {
  head: 8000,
  handshake: 10_000,
  unauthorised: 20_000,
  connections: Number.POSITIVE_INFINITY,
  perAddress: 256,
};

/** Maximum connections to the control API, in addition to those to images. */
export const CONTROL_CONNECTIONS = 64;
