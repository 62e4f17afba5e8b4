// What the daemon allows its clients: times in milliseconds, numbers of connections.

export interface Limits {
  /** For the head of a request, also the first after connecting. */
  readonly head: number;
  /** For a TLS handshake. */
  readonly handshake: number;
  /** That a connection may idle that has not shown a ticket yet. */
  readonly stranger: number;
  /** Connections to images at once; more than there is memory for are never had. */
  readonly connections: number;
  /** Those from one address of the network among them. */
  readonly perAddress: number;
}

export const usualLimits: Limits = {
  head: 8000,
  handshake: 10_000,
  stranger: 20_000,
  connections: Number.POSITIVE_INFINITY,
  perAddress: 256,
};

/** Connections to the control API at once: those to images leave them free. */
export const CONTROL_CONNECTIONS = 64;
