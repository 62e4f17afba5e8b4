/** URL and opening of the web page. */
import type { CommandContext } from '../../cli/session/command-context.ts';
import { openBrowser } from '../../cli/session/open-browser.ts';

/** URL of the web page, from the base URL of the API. */
export function pageUrl(baseUrl: string): string {
  return new URL('/_vmctl/ui', baseUrl).href;
}

/** Opens the page; without a display, prints its URL. */
export function openPage(cli: CommandContext, baseUrl: string): void {
  openBrowser(cli, pageUrl(baseUrl));
}
