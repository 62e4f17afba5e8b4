/** The parts of undici in use, in a module of their own so that they load on demand: for transfers. */
import { Agent, buildConnector } from 'undici';
import { type ConnectionsOptions, connectTimeout, maxConnections } from './connections.ts';
import { namesProxy } from './proxy-env.ts';

export { Agent };

/** Connections for bodies that are streamed both ways, by way of a proxy where there is one. */
export async function openAgent({
  tls,
  env,
  times,
  idleTimeout,
}: ConnectionsOptions): Promise<Agent> {
  const connector = buildConnector({
    ...tls,
    timeout: connectTimeout,
  } as buildConnector.BuildOptions);
  const timed = times?.connector(connector) ?? connector;
  const proxied =
    env && namesProxy(env)
      ? (await import('./proxy-tunnel.ts')).proxyConnector(timed, env)
      : undefined;
  return new Agent({
    connections: maxConnections,
    headersTimeout: idleTimeout,
    bodyTimeout: idleTimeout,
    connect: proxied ?? timed,
  });
}
