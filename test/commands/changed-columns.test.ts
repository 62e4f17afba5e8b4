/** `--columns` with signs and short names, and exact times on a terminal. */
import { describe, expect, it } from 'vitest';
import { useSignedInCommand } from './support/signed-in-command.ts';

const desk = useSignedInCommand();
const header = async (...words: string[]) =>
  (await desk.must('vms', 'list', '-o', 'csv', ...words)).split('\n', 1)[0];

describe('--columns', () => {
  it('adds to the default columns, and removes from them', async () => {
    const usual = (await header())?.split(',') ?? [];
    expect(usual).toContain('cluster');
    const others = usual.filter((title) => title !== 'cluster');
    expect(await header('--columns', '+ip,-cluster')).toBe([...others, 'ip'].join(','));
    expect(await header('--columns', '-cluster')).toBe(others.join(','));
    expect(await header('--columns', '+name')).toBe(usual.join(','));
  });

  it('changes the columns of the configuration', async () => {
    await desk.must('config', 'set', 'vms.columns', 'name,status');
    expect(await header('--columns', '+memory')).toBe('name,status,memory');
    await desk.must('config', 'set', 'vms.columns', '+mem,-host');
    const usual = (await header())?.split(',');
    expect(usual).not.toContain('host');
    expect(usual).toContain('memory');
    await desk.must('config', 'unset', 'vms.columns');
  });

  it('knows short names', async () => {
    const text = await desk.must('vms', 'list', '-o', 'csv', '--columns', 'name,ip,mem');
    expect(text).toContain('name,ip,mem\nvm-01,"10.0.0.1,');
    expect(await desk.must('__complete', 'vms', 'list', '--columns', '+name,-clus')).toContain(
      '+name,-cluster\t',
    );
  });

  it.each([
    ['+ip,name', 'some columns have a sign and others have none', 'use +ip,+name'],
    ['-description', '--columns -description: the list has no such column', 'it has name'],
    ['+nope', 'vm has no nope', 'did you mean'],
  ])('refuses %s', async (columns, problem, hint) => {
    const { code, stderr } = await desk.run(['vms', 'list', '--columns', columns]);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(hint);
  });
});

it('--full-time is refused for formats with exact times', async () => {
  const { code, stderr } = await desk.run(['vms', 'list', '--full-time', '-o', 'csv']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--full-time has no effect')]);
});
