/** Opening of URLs in the browser of the user. */
import { spawn } from 'node:child_process';
import type { CommandContext } from './command-context.ts';
import { withoutSecrets } from './credentials.ts';
import type { Environment } from './io.ts';
import { isOnPath } from './programs.ts';

/** Opens a URL; without a display, prints it. */
export function openBrowser(cli: CommandContext, url: string): void {
  const opener = findOpener(cli.io.env, process.platform);
  if (opener === undefined) {
    cli.note(`cannot open a browser here; open ${url}`);
    return;
  }
  const [program = '', ...words] = opener;
  const env = withoutSecrets(cli.io.env);
  const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore', env });
  child.once('error', ({ message }) => {
    cli.warn(`cannot run ${program}: ${message}; open ${url}`);
  });
  child.unref();
}

/** Command that opens URLs: the program in `BROWSER`, or the system's. Undefined without a display. */
export function findOpener(env: Environment, platform: string): readonly string[] | undefined {
  const { BROWSER: browser } = env;
  if (browser) return [browser];
  if (platform === 'darwin') return ['open'];
  // The shell of Windows would interpret "&" in the URL.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return hasScreen && isOnPath(env, 'xdg-open') ? ['xdg-open'] : undefined;
}
