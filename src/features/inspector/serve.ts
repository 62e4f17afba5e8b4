/** Web page of `vmctl serve`: flag `--open` and the page handler. */
import type { ServeHandlers } from '../../cli/commands/serve/extension.ts';
import { UsageError } from '../../client/errors.ts';
import { openPage, pageUrl } from './open-page.ts';
import { pageFile } from './page.ts';

export const handlers: ServeHandlers<{ readonly open?: boolean }> = {
  start: async ({ hasCommand }, { open }) => {
    if (open && hasCommand) {
      throw new UsageError('--open: the server ends with the command', { hint: 'remove --open' });
    }
    return undefined;
  },
  extend: () => async () => ({ page: pageFile }),
  announce: ({ baseUrl, uploadUrl }) =>
    uploadUrl === undefined ? [] : [`web page: ${pageUrl(baseUrl)}`],
  afterStart: (cli, { open }, baseUrl) => {
    if (open) openPage(cli, baseUrl);
  },
};
