// OCI image layout with the executable, on the libraries of Debian packages. No container engine is
// necessary.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { formatLicenses, writeIn } from './system-tree.js';

/** Packages with the libraries of Node, certificates of public authorities, and time zones. */
const basePackages = ['libc6', 'libgcc-s1', 'libstdc++6', 'ca-certificates', 'tzdata'];

/** Files of these packages that the image needs. */
const baseFiles = [
  ...['lib/x86_64-linux-gnu', 'lib64', 'usr/lib/x86_64-linux-gnu', 'usr/share/zoneinfo'],
  'usr/share/ca-certificates',
];

const media = {
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  config: 'application/vnd.oci.image.config.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
};

/**
 * Writes an image layout (a tar archive) for `podman load` and `skopeo copy oci-archive:`.
 * @param output path of the archive
 * @param executable path of the executable, and path of the license of Node
 * @param root folder of the project
 */
export function writeOciImage(output, executable, root) {
  const { version, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const work = mkdtempSync(join(tmpdir(), 'vmctl-oci-'));
  const mask = process.umask(0o022);
  const writeProgram = (tree) => {
    writeIn(tree, 'usr/bin/vmctl', readFileSync(executable.path), 0o755);
    writeIn(tree, 'usr/share/licenses/vmctl/LICENSE', formatLicenses(root, executable.license));
  };
  try {
    const layers = [makeLayer(work, 'base', writeBase), makeLayer(work, 'program', writeProgram)];
    writeLayout(work, layers, { version, description: description.split(',')[0] });
    execFileSync('tar', [...tarFlags, '-cf', output, '-C', join(work, 'layout'), '.']);
  } finally {
    process.umask(mask);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Flags for archives that depend on the files only. */
const tarFlags = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];

/** System files: libraries, certificates, and a user without privileges. */
function writeBase(tree, work) {
  const downloads = join(work, 'packages');
  mkdirSync(downloads);
  execFileSync('apt-get', ['download', '-qq', ...basePackages, findLicensePackage()], {
    cwd: downloads,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const unpacked = join(work, 'unpacked');
  for (const name of readdirSync(downloads)) {
    execFileSync('dpkg-deb', ['-x', join(downloads, name), unpacked]);
  }
  for (const name of baseFiles) {
    cpSync(join(unpacked, name), join(tree, name), { recursive: true, verbatimSymlinks: true });
  }
  cpSync(join(unpacked, 'usr/share/doc'), join(tree, 'usr/share/doc'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\.gz$/.test(path),
  });
  const authorities = join(tree, 'usr/share/ca-certificates/mozilla');
  writeIn(
    tree,
    'etc/ssl/certs/ca-certificates.crt',
    readdirSync(authorities)
      .sort()
      .map((name) => readFileSync(join(authorities, name), 'utf8'))
      .join(''),
  );
  rmSync(join(tree, 'usr/share/ca-certificates'), { recursive: true });
  writeIn(tree, 'etc/passwd', 'root:x:0:0:root:/root:/\nvmctl:x:65532:65532::/var/lib/vmctl:/\n');
  writeIn(tree, 'etc/group', 'root:x:0:\nvmctl:x:65532:\n');
  mkdirSync(join(tree, 'tmp'));
  chmodSync(join(tree, 'tmp'), 0o1777);
  mkdirSync(join(tree, 'var/lib'), { recursive: true });
  // Containers run with any user id, for example a random one of a cluster.
  mkdirSync(join(tree, 'var/lib/vmctl'));
  chmodSync(join(tree, 'var/lib/vmctl'), 0o1777);
}

/** Name of the package with the license of the compiler's libraries: `gcc-12-base`. */
function findLicensePackage() {
  const text = execFileSync('apt-cache', ['depends', 'libgcc-s1'], { encoding: 'utf8' });
  const [, name] = /Depends: (gcc-\d+-base)/.exec(text) ?? [];
  if (name === undefined) throw new Error('libgcc-s1 names no package with its license');
  return name;
}

/** Archive of a tree, with the digests of the layer and of its content. */
function makeLayer(work, name, write) {
  const tree = join(work, name);
  mkdirSync(tree);
  write(tree, work);
  const archive = execFileSync('tar', [...tarFlags, '-c', '-C', tree, '.'], {
    maxBuffer: 2 ** 30,
  });
  return { content: gzipSync(archive, { level: 6 }), plain: digest(archive) };
}

function writeLayout(work, layers, { version, description }) {
  const layout = join(work, 'layout');
  const blobs = join(layout, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const store = (mediaType, content) => {
    const hash = digest(content);
    writeFileSync(join(blobs, hash.slice('sha256:'.length)), content);
    return { mediaType, digest: hash, size: content.length };
  };
  const storeJson = (mediaType, value) => store(mediaType, Buffer.from(JSON.stringify(value)));
  const labels = {
    'org.opencontainers.image.title': 'vmctl',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': 'Apache-2.0',
  };
  const config = storeJson(media.config, {
    architecture: 'amd64',
    os: 'linux',
    config: {
      Entrypoint: ['/usr/bin/vmctl'],
      Cmd: ['help'],
      User: '65532:65532',
      WorkingDir: '/var/lib/vmctl',
      Env: [
        'PATH=/usr/bin',
        'HOME=/var/lib/vmctl',
        'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
      ],
      Volumes: { '/var/lib/vmctl': {} },
      ExposedPorts: { '8443/tcp': {}, '54322/tcp': {} },
      Labels: labels,
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ plain }) => plain) },
  });
  const manifest = storeJson(media.manifest, {
    schemaVersion: 2,
    mediaType: media.manifest,
    config,
    layers: layers.map(({ content }) => store(media.layer, content)),
    annotations: labels,
  });
  const index = {
    schemaVersion: 2,
    manifests: [
      {
        ...manifest,
        platform: { architecture: 'amd64', os: 'linux' },
        annotations: { 'org.opencontainers.image.ref.name': `vmctl:${version}` },
      },
    ],
  };
  writeFileSync(join(layout, 'index.json'), JSON.stringify(index));
  writeFileSync(join(layout, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }));
}

function digest(content) {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}
