/** Proxy variables of the environment. The proxy module is loaded only if one is set. */

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Variables with a proxy for https, in order of precedence. */
export const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

export function namesProxy(env: EnvironmentVariables): boolean {
  return proxyVariables.some((name) => env[name]);
}
