/**
 * Connections to servers with undici: TLS, proxies, limits of connections and time. A separate
 * module, so that commands without a request do not load undici.
 */
import type { ConnectionOptions } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { type EnvironmentVariables, namesProxy } from './proxy-env.ts';
import type { Times } from './timing.ts';

export interface AgentOptions {
  readonly tls: Omit<ConnectionOptions, 'port'>;
  /** Environment variables, which can name a proxy. */
  readonly env?: EnvironmentVariables;
  /** Records the times of connection steps. */
  readonly times?: Times;
  /** Milliseconds without data after which a response fails. */
  readonly idleTimeout: number;
}

/** Maximum simultaneous connections to one server. Further requests wait. */
const maxConnections = 8;
/** Milliseconds to connect, including the TLS handshake. */
const connectTimeout = 10_000;

/** Creates an agent. The first request opens a connection, through a proxy if one applies. */
export async function openAgent({ tls, env, times, idleTimeout }: AgentOptions): Promise<Agent> {
  const connector = buildConnector({
    ...tls,
    timeout: connectTimeout,
  });
  const timed = times?.connector(connector) ?? connector;
  const proxied =
    env && namesProxy(env)
      ? (await import('./proxy-tunnel.ts')).proxyConnector(timed, env)
      : undefined;
  return new Agent({
    ...{ connections: maxConnections, connect: proxied ?? timed },
    ...{ headersTimeout: idleTimeout, bodyTimeout: idleTimeout },
  });
}

/** Creates an agent for a socket on this computer. */
export function openLocalAgent(socketPath: string): Agent {
  return new Agent({ connections: maxConnections, connect: { socketPath } });
}
