/** The entry point's own operations, and settings that clients ask for by name. */
import { describe, expect } from 'vitest';
import { useSite } from './support/site.ts';

const site = useSite();

describe('options', () => {
  site.both('are asked for by name', async ({ admin }) => {
    const { status, object } = await admin.get('/options/MaxNumOfVmSockets');
    expect(status).toBe(200);
    expect(object).toMatchObject({ id: 'MaxNumOfVmSockets', name: 'MaxNumOfVmSockets' });
    expect(JSON.stringify(object)).toContain('"16"');
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
