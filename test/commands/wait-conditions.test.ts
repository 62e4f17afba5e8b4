/** Wait conditions: states, also of verbs that lead to them, and events. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

// Transitional states must not end during the tests.
const desk = useSignedInCommand(['--speed', '1000']);

describe('--for of a changing verb', () => {
  it('applies to the new object, not to its source', async () => {
    const words = ['vms', 'clone', 'vm-02', '--name', 'copy', '--for', 'status=image_locked'];
    const made = await desk.json(...words);
    expect(made).toMatchObject({ name: 'copy', status: 'image_locked' });
  });

  it('waits for that instead of the end', async () => {
    const started = await desk.json('vms', 'start', 'vm-02', '--for', 'status=wait_for_launch');
    expect(started).toMatchObject({ name: 'vm-02', status: 'wait_for_launch' });
  });

  it.each([
    [['--for', 'status=ready'], '--for status ready: not a valid vm status'],
    [['--for', 'mood=good'], 'vm has no mood'],
    [['--for', 'status=up', '--no-wait'], '--for and --no-wait exclude each other'],
  ])('with %j is refused before anything is sent', async (flags, reason) => {
    const { code, stderr } = await desk.run(['vms', 'stop', 'vm-03', ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
    expect(await desk.json('vms', 'get', 'vm-03')).toMatchObject({ status: 'up' });
  });
});

describe('--for event=CODE', () => {
  it('waits for new events about the object', async () => {
    const report = (about: string) =>
      desk.must('events', 'report', 'looked at', '--about', `vms/${about}`);
    await report('vm-03');
    const waiting = desk.home().run(['wait', 'vms/vm-03', '--for', 'event=9801', '-o', 'json']);
    let isDone = false;
    const done = waiting.finally(() => {
      isDone = true;
    });
    // When it begins to look is not known.
    for (let count = 0; !isDone; count += 1) await report(count % 2 === 0 ? 'vm-01' : 'vm-03');
    const { code, stdout } = await done;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ code: 9801, vm: { name: 'vm-03' } });
  });

  it('exits with code 7 if the event does not occur', async () => {
    const words = ['wait', 'vms/vm-02', '--for', 'event=33', '--timeout', '0.3s'];
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([7, expect.stringContaining('event=33')]);
  });

  it('is refused for a value that is no number', async () => {
    const { code, stderr } = await desk.run(['wait', 'vms/vm-02', '--for', 'event=VM_STARTED']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('" is not an event code')]);
  });
});

describe('events tail', () => {
  const idle = ['--until-idle', '0.2s', '-o', 'jsonl'];
  const tail = async (...words: string[]) => {
    const text = await desk.must('events', 'tail', ...words, ...idle);
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as { id: string; severity: string; time: string });
  };

  it('begins where --since says', async () => {
    const all = await tail('--since', '1h');
    expect(all[0]?.id).toBe('1');
    const middle = all[Math.floor(all.length / 2)];
    const rest = await tail('--since', middle?.time ?? '');
    expect(rest.length).toBeLessThan(all.length);
    expect(rest.map(({ id }) => id)).toContain(middle?.id);
    expect(rest.every(({ time }) => time >= (middle?.time ?? ''))).toBe(true);
    expect(await tail('--since', '2099-01-01')).toEqual([]);
  });

  it('tells those of a severity', async () => {
    await desk.must('events', 'report', 'nearly full', '--severity', 'warning');
    await desk.must('events', 'report', 'full', '--severity', 'error');
    const severities = async (words: string) => {
      const events = await tail('--since', '1h', '--severity', words);
      return [...new Set(events.map(({ severity }) => severity))].sort();
    };
    expect(await severities('>normal')).toEqual(['error', 'warning']);
    expect(await severities('>=warning')).toEqual(['error', 'warning']);
    expect(await severities('error,alert')).toEqual(['error']);
    expect(await severities('normal')).toEqual(['normal']);
  });

  it.each([
    [['--since', 'yesterday'], '--since yesterday: not a duration'],
    [['--since', '2030-99-99'], 'not a moment'],
    [['--severity', 'bad'], '--severity bad: not a severity'],
    [['--severity', '>normal,error'], 'not a severity'],
  ])('refuses %j', async (words, reason) => {
    const { code, stderr } = await desk.run(['events', 'tail', ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
  });
});
