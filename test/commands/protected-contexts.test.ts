/** A protected context through the built command: what it refuses, and what goes on without a question. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/command.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let home: Home;

beforeAll(async () => {
  server = await startTestServer(['--inventory', 'small', '--speed', '0']);
  home = makeHome();
  const { ready, password } = server;
  const login = ['login', ready.base_url, '--username', ready.username, '-c', 'prod'];
  const words = [...login, '--ca-file', ready.ca_file, '--password-stdin', '--store', 'file'];
  const env = { VMCTL_PASSPHRASE: 'phrase' };
  const signedIn = await home.runHere(words, env, `${password}\n`);
  expect(signedIn, signedIn.stderr).toMatchObject({ code: 0 });
  await home.runHere(['context', 'set', 'prod', '--protected']);
});
afterAll(async () => {
  home.remove();
  await server.stop();
});

async function idOf(noun: string, name: string): Promise<string> {
  const { stdout } = await home.runHere([noun, 'get', name, '-o', 'json']);
  return String((JSON.parse(stdout) as { id: string }).id);
}

describe('a protected context', () => {
  it.each(['stop', '%73top', 'stop/', 'stop;x=y', '/stop', 'x/../stop', 'start/%2e%2e/stop'])(
    'refuses vmctl api POST /vms/ID/%s',
    async (word) => {
      const id = await idOf('vms', 'vm-01');
      const refused = await home.runHere(['api', 'POST', `/vms/${id}/${word}`]);
      expect(refused).toMatchObject({ code: 12, stdout: '' });
      expect(refused.stderr).toContain('the context prod is protected');
      const { stdout } = await home.runHere(['vms', 'get', 'vm-01', '-o', 'json']);
      expect(JSON.parse(stdout)).toMatchObject({ status: 'up' });
    },
  );

  it('uploads into a new disk without a question, and overwrites one that exists only with --confirm', async () => {
    const image = join(home.folder, 'image.raw');
    writeFileSync(image, Buffer.alloc(1 << 20, 1));
    const add = ['disks', 'upload', image, '--name', 'new', '--storagedomain', 'data1'];
    const added = await home.runHere(add);
    expect(added, added.stderr).toMatchObject({ code: 0 });
    const overwrite = ['disks', 'upload', image, '--disk', 'new'];
    const refused = await home.runHere(overwrite);
    expect(refused).toMatchObject({ code: 12, stdout: '' });
    expect(refused.stderr).toContain('POST /imagetransfers');
    const confirmed = await home.runHere([...overwrite, '--confirm', 'prod']);
    expect(confirmed, confirmed.stderr).toMatchObject({ code: 0 });
  });

  it('asks for what undo does like for any other harm', async () => {
    expect(await home.runHere(['tags', 'create', '--name', 'mine'])).toMatchObject({ code: 0 });
    const refused = await home.runHere(['undo', '--yes']);
    expect(refused).toMatchObject({ code: 12 });
    expect(refused.stderr).toContain('DELETE /tags/');
  });
});
