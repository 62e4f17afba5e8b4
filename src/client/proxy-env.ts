/** Proxy variables of the environment. What a proxy takes is loaded only if one is named. */

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** Where somebody names a proxy for https; the first that is set counts. */
export const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'] as const;

export function namesProxy(env: EnvironmentVariables): boolean {
  return proxyVariables.some((name) => env[name]);
}
