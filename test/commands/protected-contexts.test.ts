/**
 * Protected contexts in the built command: refused requests, and requests without a confirmation.
 */
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

async function findId(noun: string, name: string): Promise<string> {
  const { stdout } = await home.runHere([noun, 'get', name, '-o', 'json']);
  return String((JSON.parse(stdout) as { id: string }).id);
}

describe('a protected context', () => {
  it.each(['stop', '%73top', 'stop/', 'stop;x=y', '/stop', 'x/../stop', 'start/%2e%2e/stop'])(
    'refuses vmctl api POST /vms/ID/%s',
    async (word) => {
      const id = await findId('vms', 'vm-01');
      const refused = await home.runHere(['api', 'POST', `/vms/${id}/${word}`]);
      expect(refused).toMatchObject({ code: 12, stdout: '' });
      expect(refused.stderr).toContain('prod is protected: cannot POST /vms/');
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
    expect(refused.stderr).toContain('prod is protected: cannot start the upload of disks/');
    const confirmed = await home.runHere([...overwrite, '--confirm', 'prod']);
    expect(confirmed, confirmed.stderr).toMatchObject({ code: 0 });
  });

  it('asks before a revert, as before other harmful requests', async () => {
    expect(await home.runHere(['tags', 'create', '--name', 'mine'])).toMatchObject({ code: 0 });
    const refused = await home.runHere(['undo', '--yes']);
    expect(refused).toMatchObject({ code: 12 });
    expect(refused.stderr).toContain(
      'prod is protected: cannot delete tags/mine without confirmation',
    );
  });

  describe('and the bytes of an image with a ticket', () => {
    let url: string;
    let image: string;
    const content = async () => (await home.runHere(['images', 'read', url, '--size', '4'])).stdout;

    beforeAll(async () => {
      image = join(home.folder, 'bytes.raw');
      writeFileSync(image, 'abcd');
      const size = ['--provisioned-size', '1MiB', '--format', 'raw'];
      const add = ['disks', 'create', '--name', 'bytes', '--storagedomain', 'data1', ...size];
      const disk = await home.runHere([...add, '-o', 'id']);
      expect(disk, disk.stderr).toMatchObject({ code: 0 });
      const begin = ['imagetransfers', 'create', '--disk', 'bytes', '--direction', 'upload'];
      const made = await home.runHere([...begin, '--confirm', 'prod', '-o', 'json']);
      expect(made, made.stderr).toMatchObject({ code: 0 });
      url = (JSON.parse(made.stdout) as { transfer_url: string }).transfer_url;
    });

    const changes = (): [string, string[]][] => [
      ['PUT', ['images', 'write', url, image]],
      ['PATCH', ['images', 'zero', url, '--size', '4096']],
    ];

    it('are changed only with --confirm', async () => {
      for (const [method, words] of changes()) {
        const before = await content();
        const refused = await home.runHere([...words, '--yes']);
        expect(refused, words.join(' ')).toMatchObject({ code: 12, stdout: '' });
        expect(refused.stderr).toContain(
          `prod is protected: cannot ${method} /images without confirmation`,
        );
        expect(refused.stderr).not.toContain(new URL(url).pathname);
        expect(await content()).toBe(before);
        const confirmed = await home.runHere([...words, '--confirm', 'prod']);
        expect(confirmed, confirmed.stderr).toMatchObject({ code: 0 });
        expect(await content()).not.toBe(before);
      }
    });

    it('are not changed where requests only read', async () => {
      for (const words of [...changes().map(([, one]) => one), ['images', 'flush', url]]) {
        const env = { VMCTL_READ_ONLY: '1' };
        const refused = await home.runHere([...words, '--confirm', 'prod'], env);
        expect(refused, words.join(' ')).toMatchObject({ code: 2, stdout: '' });
        expect(refused.stderr).toContain(': changes are disabled');
      }
    });

    it('are flushed without a question', async () => {
      expect(await home.runHere(['images', 'flush', url])).toMatchObject({ code: 0 });
    });

    it('are guarded in another context too, as the URL names the host of the protected one', async () => {
      const other = new URL(server.ready.base_url);
      other.hostname = 'localhost';
      const env = {
        VMCTL_URL: other.href,
        VMCTL_CA_FILE: server.ready.ca_file,
        VMCTL_CONTEXT: undefined,
      };
      const refused = await home.runHere(['images', 'write', url, image], env);
      expect(refused.stderr).toContain(
        'prod is protected: cannot PUT /images without confirmation',
      );
      expect(refused.code).toBe(12);
    });

    it('are protected by the ticket alone without a known context', async () => {
      const bare = makeHome();
      try {
        const env = { VMCTL_CA_FILE: server.ready.ca_file };
        const written = await bare.runHere(['images', 'write', url, image], env);
        expect(written, written.stderr).toMatchObject({ code: 0 });
      } finally {
        bare.remove();
      }
    });
  });
});
