/** Live data: load, and events that an interrupted reader does not miss. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();

describe('vmctl top', () => {
  it('shows hosts and running machines, the busiest first', async () => {
    const hosts = await desk.json('top', 'hosts');
    expect(hosts.map(({ name }) => name).sort()).toEqual(['host1', 'host2']);
    const loads = hosts.map(({ cpu }) => Number(cpu));
    expect(loads).toEqual([...loads].sort((a, b) => b - a));
    for (const { cpu, memory } of hosts) {
      expect(Number(cpu)).toBeGreaterThan(0);
      expect(Number(memory)).toBeLessThanOrEqual(100);
    }
    const vms = await desk.json('top', 'vms', '--by', 'name');
    const running = await desk.json('vms', 'list', '--search', 'status=up sortby name');
    expect(vms.map(({ name }) => name)).toEqual(running.map(({ name }) => name));
  });

  it('refreshes the requested number of times, with one header', async () => {
    const text = await desk.must(
      'top',
      'hosts',
      '--count',
      '3',
      '--interval',
      '10ms',
      '--limit',
      '1',
    );
    const [titles, ...lines] = text.trim().split('\n');
    expect(titles).toMatch(/^TIME +NAME +STATUS +CPU/);
    expect(lines).toHaveLength(3);
  });

  it.each([
    [['top', 'disks'], 'disks'],
    [['top', '--by', 'colour'], '--by colour'],
    [['top', '--limit', '0'], '--limit 0'],
  ])('%j is a mistake', async (words, message) => {
    const { code, stderr } = await desk.run(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('events tail --cursor', () => {
  const report = async (text: string, number: number) =>
    await desk.must('events', 'report', text, '--origin', 'cursor', '--custom-id', String(number));
  const tail = async (file: string, ...more: string[]) => {
    const words = ['events', 'tail', '--cursor', file, '--search', 'origin=cursor'];
    const text = await desk.must(...words, '--interval', '10ms', ...more, '-o', 'jsonl');
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as { description: string }).description);
  };

  it('continues after the last run without gaps and duplicates', async () => {
    const file = join(desk.home().folder, 'cursor');
    expect(await tail(file, '--until-idle', '50ms')).toEqual([]);
    for (const number of [1, 2, 3, 4]) await report(`event ${number}`, number);
    expect(await tail(file, '--count', '2')).toEqual(['event 1', 'event 2']);
    expect(await tail(file, '--count', '2')).toEqual(['event 3', 'event 4']);
    expect(await tail(file, '--until-idle', '50ms')).toEqual([]);
    await report('event 5', 5);
    expect(await tail(file, '--count', '1')).toEqual(['event 5']);
    rmSync(file);
  });

  it('refuses a file without a cursor', async () => {
    const file = join(desk.home().folder, 'other');
    writeFileSync(file, 'precious', { mode: 0o600 });
    const { code, stderr } = await desk.run(['events', 'tail', '--cursor', file, '--count', '1']);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${file}:1:1: expected a value`)]);
  });
});
