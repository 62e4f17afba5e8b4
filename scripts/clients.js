// Installs clients of other projects for test/clients into build/clients: the SDKs for Python, Go
// and Java, ovirt-imageio, go-ovirt-client and the Ansible collection. test/clients pins the
// versions. A client without its toolchain is skipped with a message, and so are its tests.
//
//   npm run clients
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.js';

const sources = join(root, 'test/clients');
const target = join(root, 'build/clients');

/**
 * Runs a program in a folder. Returns its standard output. Throws with its last lines if it fails.
 */
function run(folder, program, ...words) {
  const { status, error, stdout, stderr } = spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error) throw new Error(`cannot run ${program}: ${error.message}`);
  if (status === 0) return stdout.trim();
  const last = `${stdout}\n${stderr}`.trim().split('\n').slice(-3).join('\n');
  throw new Error(`${program} ${words[0] ?? ''} ended with ${status}: ${last}`);
}

/** Hash of the files in some folders below `test/clients`: versions and session sources. */
function computeHash(names) {
  const hash = createHash('sha256');
  for (const name of names) {
    for (const file of readdirSync(join(sources, name)).sort()) {
      hash.update(`${name}/${file}\n`).update(readFileSync(join(sources, name, file)));
    }
  }
  return hash.digest('hex');
}

const has = (program, word) => spawnSync(program, [word], { stdio: 'ignore' }).status === 0;

/** Virtual environment with the SDK, ovirt-imageio, ansible-core, and the collection. */
function python(folder) {
  run(folder, 'python3', '-m', 'venv', '.');
  const interpreter = join(folder, 'bin/python');
  const pip = ['-m', 'pip', '--disable-pip-version-check'];
  const requirements = join(sources, 'python/requirements.txt');
  run(folder, interpreter, ...pip, 'install', '--quiet', '-r', requirements);
  // The package `ansible` has 100 collections. Only one is unpacked.
  const collections = join(sources, 'ansible/requirements.txt');
  const wheels = join(folder, 'wheels');
  run(
    folder,
    interpreter,
    ...pip,
    'download',
    '--quiet',
    '--no-deps',
    '-d',
    wheels,
    '-r',
    collections,
  );
  const unpack = [
    'import glob, sys, zipfile',
    'archive = zipfile.ZipFile(glob.glob(sys.argv[1] + "/ansible-*.whl")[0])',
    'names = [name for name in archive.namelist() if name.startswith("ansible_collections/ovirt/")]',
    'archive.extractall("collections", names)',
  ];
  run(folder, interpreter, '-c', unpack.join('\n'), wheels);
  rmSync(wheels, { recursive: true });
}

/** Session program, and the test program of go-ovirt-client for live engines. */
function go(folder) {
  const module = 'github.com/ovirt/go-ovirt-client/v3';
  const from = join(sources, 'go');
  run(from, 'go', 'build', '-o', join(folder, 'session'), '.');
  run(from, 'go', 'test', '-c', '-o', join(folder, 'suite'), module);
  // Its tests read files from the source folder.
  writeFileSync(
    join(folder, 'suite-folder'),
    run(from, 'go', 'list', '-m', '-f', '{{.Dir}}', module),
  );
}

/** SDK with its dependencies, and the compiled session. */
function java(folder) {
  const from = join(sources, 'java');
  const libraries = join(folder, 'libraries');
  const output = `-DoutputDirectory=${libraries}`;
  run(from, 'mvn', '-q', '-B', 'dependency:copy-dependencies', output);
  run(from, 'javac', '-cp', join(libraries, '*'), '-d', join(folder, 'classes'), 'Session.java');
}

const clients = {
  python: { install: python, from: ['python', 'ansible'], needs: [['python3', '--version']] },
  go: { install: go, from: ['go'], needs: [['go', 'version']] },
  java: {
    install: java,
    from: ['java'],
    needs: [
      ['javac', '-version'],
      ['mvn', '--version'],
    ],
  },
};

for (const [name, { install, from, needs }] of Object.entries(clients)) {
  const folder = join(target, name);
  const done = join(folder, 'installed');
  const hash = computeHash(from);
  if (existsSync(done) && readFileSync(done, 'utf8') === hash) continue;
  const missing = needs
    .filter(([program, word]) => !has(program, word))
    .map(([program]) => program);
  if (missing.length > 0) {
    console.log(`skip the clients of ${name}: ${missing.join(' and ')} is missing`);
    continue;
  }
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    install(folder);
    writeFileSync(done, hash);
    console.log(`installed the clients of ${name}`);
  } catch (error) {
    console.log(`skip the clients of ${name}: ${error.message}`);
  }
}
