/** Opens the page of a server in the browser of whoever started it. */
import { spawn } from 'node:child_process';
import type { CommandContext } from '../../cli/session/command-context.ts';
import type { Environment } from '../../cli/session/io.ts';
import { isOnPath } from '../../cli/session/programs.ts';

/** The address of the page of a server, by the address of its API. */
export function pageOf(baseUrl: string): string {
  return new URL('/_vmctl/ui', baseUrl).href;
}

/** Opens it where there is a screen, and says where it is where there is none. */
export function openPage(cli: CommandContext, baseUrl: string): void {
  const url = pageOf(baseUrl);
  const opener = openerOf(cli.io.env, process.platform);
  if (opener === undefined) {
    cli.note(`cannot open a browser here; open ${url}`);
    return;
  }
  const [program = '', ...words] = opener;
  const child = spawn(program, [...words, url], { detached: true, stdio: 'ignore' });
  child.once('error', ({ message }) => {
    cli.warn(`cannot run ${program}: ${message}; open ${url}`);
  });
  child.unref();
}

/** The program that opens addresses, with its words; nothing where there is no screen. */
function openerOf(env: Environment, platform: string): readonly string[] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['cmd', '/c', 'start', ''];
  const hasScreen = Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY']);
  return hasScreen && isOnPath(env, 'xdg-open') ? ['xdg-open'] : undefined;
}
