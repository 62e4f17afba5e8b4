/** The entry point's own operations, and settings that clients ask for by name. */
import { describe, expect, it } from 'vitest';
import { send } from '../support/raw.ts';
import { useSite } from './support/site.ts';
import { listItems } from './support/speaker.ts';

const site = useSite();

describe('options', () => {
  site.both('are requested by name', async ({ admin }) => {
    const { status, object } = await admin.get('/options/MaxNumOfVmSockets');
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: 'MaxNumOfVmSockets', name: 'MaxNumOfVmSockets' });
    expect(JSON.stringify(object)).toContain('"710"');
  });
  site.both('are the limits of the server, and the options of its web clients', async (people) => {
    const { admin } = people;
    const option = async (name: string) => {
      const { object } = await admin.get(`/options/${name}`);
      return listItems(object, 'values', 'system_option_value').map(({ value }) => value);
    };
    expect(await option('MaxVmNameLength')).toEqual(['64']);
    const { status } = await admin.post('/vms', {
      vm: {
        name: 'x'.repeat(65),
        ...{ cluster: { id: people.path('{cluster}') }, template: { name: 'Blank' } },
      },
    });
    expect(status).toBe(400);
    expect(await option('SpiceUsbAutoShare')).toEqual(['true']);
    expect(await option('ClientModeConsoleDefault')).toEqual(['vnc']);
    expect(await option('AlwaysFilterResultsForWebUi')).toEqual(['false']);
    for (const list of await option('ServerCPUList')) {
      expect(list).toMatch(/(^|; )\d+:Intel Nehalem Family:[^:]+:Nehalem:x86_64;/);
    }
  });
  site.both('are returned for one version on request', async ({ admin }) => {
    const { object } = await admin.get('/options/ServerCPUList?version=4.8');
    const values = listItems(object, 'values', 'system_option_value');
    expect(values.map(({ version }) => version)).toEqual(['4.8']);
  });
  site.unknown('GET', '/options/NoSuchOption');
});

describe('the configuration', () => {
  site.both('is read again for the administrator alone', async ({ admin, olaf }) => {
    expect((await olaf.post('/reloadconfigurations')).status).toBe(403);
    await admin.must('/reloadconfigurations');
    expect((await admin.get('/events?max=3')).list.map(({ code }) => code)).toContain('1010');
  });
});

describe('the filter of USB devices', () => {
  it('can be fetched by SPICE clients, without signing in', async () => {
    const { ready, ca } = site.server();
    const answer = await send(`${ready.base_url}/services/files/usbfilter.txt`, { ca });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toContain('text/plain');
    expect(answer.text.trim()).toMatch(/^([^,|]+(,[^,|]+){4}\|?)+$/);
  });
});
