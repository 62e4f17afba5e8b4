/** The raw hatch: fields instead of files, pages as one list, XML. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('vmctl api', () => {
  it('sends fields as a body, with types and depth', async () => {
    const fields = ['-F', 'name=by-hand', '-F', 'memory=1073741824', '-F', 'cluster.name=Default'];
    const vm = JSON.parse(
      await desk.must('api', 'POST', '/vms', ...fields, '-f', 'template.name=Blank'),
    );
    expect(vm).toMatchObject({ name: 'by-hand', status: expect.any(String) });
    expect(await desk.json('vms', 'get', 'by-hand')).toMatchObject({ memory: 2 ** 30 });
  });

  it('sends the fields of a GET as its query', async () => {
    const query = ['-F', 'search=name=vm-0*', '-F', 'max=1', '-F', 'follow=nics'];
    const list = JSON.parse(await desk.must('api', 'GET', '/vms', ...query));
    expect(list.vm).toHaveLength(1);
    expect(list.vm[0].nics.nic[0]).toMatchObject({ name: 'nic1' });
  });

  it('reads all pages as one list', async () => {
    const whole = JSON.parse(await desk.must('api', 'GET', '/events'));
    const paged = JSON.parse(await desk.must('api', 'GET', '/events', '-F', 'max=3', '--paginate'));
    const ids = (list: { event: { id: string }[] }) => list.event.map(({ id }) => id);
    // To sign in writes an event, so that the second list may have more.
    expect(ids(paged).slice(-ids(whole).length)).toEqual(ids(whole));
    expect(ids(whole).length).toBeGreaterThan(3);
  });

  it('asks for XML', async () => {
    expect(await desk.must('api', 'GET', '/vms', '--xml')).toMatch(/^<\?xml .*\n?<vms>/);
  });

  it.each([
    [['POST', '/vms', '-F', 'name'], '--field name: value missing'],
    [['POST', '/vms', '-F', 'a=1', '-F', 'a.b=2'], '--field a.b=2: a already has a value'],
    [['POST', '/vms', '--paginate'], '--paginate reads lists'],
    [['POST', '/vms', '--input', 'x', '-F', 'a=1'], '--input and --field exclude each other'],
  ])('%j is a mistake', async (words, message) => {
    const { code, stderr } = await desk.run(['api', ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
