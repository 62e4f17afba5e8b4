// License notices of bundled packages, as their licenses require.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ofPackage = /^.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;

/** License texts of packages that name a license without its text. */
const texts = {
  MIT: `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense,
and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so,
subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial
portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT
LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN
NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY,
WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE
SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  // Requires no notice.
  'MIT-0': '',
};

/** Rolldown plugin that collects the folders of bundled packages. */
export class BundledPackages {
  /** Folders, so that two versions of a package count as two. */
  #folders = new Set();

  plugin = {
    name: 'bundled-packages',
    generateBundle: (_options, bundle) => {
      for (const { moduleIds = [] } of Object.values(bundle)) {
        for (const id of moduleIds) {
          const folder = ofPackage.exec(id)?.[0];
          if (folder) this.#folders.add(folder);
        }
      }
    },
  };

  /** Folders of the bundled packages. */
  get folders() {
    return [...this.#folders];
  }

  /** Text with name, version, license and notices of each package, by name. */
  notices() {
    const packages = [...this.#folders].map((folder) => {
      const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return { title: `${manifest.name} ${manifest.version}`, folder, manifest };
    });
    packages.sort((a, b) => (a.title < b.title ? -1 : 1));
    const sections = packages.map(
      ({ title, folder, manifest }) =>
        `${'='.repeat(78)}\n${title} (${manifest.license})\n\n${notice(folder, manifest)}\n`,
    );
    return `vmctl contains the packages below, under these licences.\n\n${sections.join('\n')}`;
  }
}

function notice(folder, { name, license, author }) {
  const files = readdirSync(folder).filter((file) =>
    /^(licen[cs]e|copying|notice|copyrightnotice)(\.|$)/i.test(file),
  );
  if (files.length) {
    return files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  }
  const text = texts[license];
  if (text === undefined) throw new Error(`${name} (${license}) has no text of its licence.`);
  const holder = typeof author === 'object' ? author.name : author;
  return `Copyright (c) ${holder ?? `the authors of ${name}`}\n\n${text}`.trim();
}
