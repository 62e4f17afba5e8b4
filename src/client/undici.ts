/** Parts of undici in a separate module, which only transfers load. */
import { Agent, buildConnector } from 'undici';
import { type ConnectionsOptions, connectTimeout, maxConnections } from './connections.ts';
import { namesProxy } from './proxy-env.ts';

export { Agent };

/** Opens connections for streamed bodies, through a proxy if one applies. */
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
