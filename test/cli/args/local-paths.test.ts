/** Which arguments and flags are paths on this computer: every parameter of every command is decided. */
import { describe, expect, it } from 'vitest';
import { isLocalPath, listLocalPaths } from '../../../src/cli/args/local-paths.ts';
import { defineArgument, defineFlag } from '../../../src/cli/args/parameters.ts';
import { type CommandEntry, describeAllNouns } from '../../../src/cli/help/command-manifest.ts';
import { nounModules } from '../../../src/cli/noun-modules.ts';

/** Value placeholders of flags that are not paths. A new placeholder needs a decision here. */
const noPaths = new Set(
  `kind/ref n interval word network name what path=value path=json condition duration time query ref address
  command host:port text rate cluster domain tag network=nic[,address] name=nic+nic[,mode] host pattern disk
  datacenter format size id number when words sha256 where "name: value" column names scope user@domain
  origin factor seconds rule from status app-root device, iso user`
    .match(/"[^"]*"|\S+/g)
    ?.map((word) => word.replaceAll('"', '')),
);

/** Paths of other things: of the application, of requests, and folders of hosts. */
const otherPaths = new Set([
  ...['serve --app-root', 'serve requests --path'],
  ...['glustervolumes create --bricks', 'glusterbricks delete --bricks'],
]);

async function commands(): Promise<readonly CommandEntry[]> {
  return (await describeAllNouns(nounModules)).flatMap((noun) => noun.commands);
}

describe('every flag', () => {
  it('whose value is a file or a folder has the type of one, and no other has', async () => {
    const wrong: string[] = [];
    for (const { name, flags } of await commands()) {
      for (const { flag: long, value, type, section } of flags) {
        if (value === undefined || otherPaths.has(`${name} ${long}`)) continue;
        const word = value.toLowerCase().replace(/\.\.\.$/, '');
        if (isLocalPath({ type })) continue;
        const isModel = section !== 'command' && !/file|path|dir|folder|@/.test(word);
        if (!isModel && !noPaths.has(word)) wrong.push(`${name} ${long} <${word}> ${type}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('that a secret is read from is a file', async () => {
    const users = (await commands()).find(({ name }) => name === 'users create');
    const password = users?.flags.find(({ flag: long }) => long === '--password-file');
    expect(password).toMatchObject({ type: 'file', value: 'file' });
  });
});

describe('every argument', () => {
  it('that is a file or a folder has the type of one', async () => {
    const paths = (await commands()).flatMap(({ name, arguments: all }) =>
      all.flatMap(({ name: word, type }) =>
        isLocalPath(type === undefined ? {} : { type }) ? [`${name} <${word}>: ${type}`] : [],
      ),
    );
    expect(paths).toEqual([
      'vms scp <file>: file',
      'vms export-ova <file>: file',
      'vms import-ova <file>: file',
      'templates import-ova <file>: file',
      'backups run <dir>: folder',
      'backups restore <dir>: folder',
      'disks upload <file>: file or url',
      'disks download <file>: file',
      'disks verify <file>: file',
      'images write <file>: file',
      'context trust <path>: file',
      'apply <file>: file',
      'diff <file>: file',
    ]);
    const others = (await commands()).flatMap(({ name, arguments: all }) =>
      all.flatMap(({ name: word, type }) =>
        /^(file|dir|path|folder)/.test(word) && type === undefined ? [`${name} ${word}`] : [],
      ),
    );
    // A file of a storage domain, and the path of a request.
    expect(others).toEqual(['files get file', 'files wait file', 'api path']);
  });
});

describe('localPathsOf', () => {
  const command = {
    arguments: [
      defineArgument('<disk>', ''),
      defineArgument('<file>', '', { type: 'file or url' }),
    ],
    flags: [
      defineFlag('--base <file>', '', { aliases: ['--old-base'] }),
      defineFlag('--secret <name=@file>', '', { repeatable: true }),
      defineFlag('--image <image>', '', { type: 'file or disk' }),
      defineFlag('--name <name>', ''),
      defineFlag('--force', ''),
    ],
  };

  it('finds the paths in arguments and flags, by all of their names', () => {
    const options = {
      base: 'b',
      oldBase: 'old',
      secret: ['a=@s1', 'x=@y=@s2'],
      image: './c.raw',
      name: 'n',
      force: true,
    };
    expect(listLocalPaths(command, ['d', 'f'], options)).toEqual([
      ...['f', 'b', 'old', 's1', 's2', './c.raw'],
    ]);
  });

  it('takes neither streams nor addresses nor disks for paths', () => {
    const address = 'HTTPS://a.test/x';
    expect(listLocalPaths(command, ['d', address], { base: '-', image: 'disks/x' })).toEqual([]);
    expect(listLocalPaths(command, ['d', '-'], { image: 'no-such-file' })).toEqual([]);
    // Only where addresses are understood.
    expect(listLocalPaths(command, [], { base: address })).toEqual([address]);
  });
});
