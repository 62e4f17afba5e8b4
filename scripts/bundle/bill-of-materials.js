// Software bill of materials (SBOM) of the build, in CycloneDX 1.5 JSON.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Version of the format. */
const specVersion = '1.5';

/**
 * Text of the document.
 * @param manifest content of package.json of the project
 * @param folders folders of bundled packages
 */
export function formatBillOfMaterials(manifest, folders) {
  const components = folders
    .map((folder) =>
      describePackage(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))),
    )
    .sort((a, b) => (a.purl < b.purl ? -1 : a.purl > b.purl ? 1 : 0));
  const unique = components.filter(({ purl }, index) => purl !== components[index - 1]?.purl);
  const document = {
    bomFormat: 'CycloneDX',
    specVersion,
    version: 1,
    metadata: { component: { ...describePackage(manifest), type: 'application' } },
    components: unique,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Adds a component that is not a package of npm, such as Node in the executable. */
export function addComponent(text, { name, version, license }) {
  const document = JSON.parse(text);
  const purl = `pkg:generic/${name}@${version}`;
  document.components.push({
    type: 'platform',
    'bom-ref': purl,
    name,
    version,
    licenses: [{ license: { id: license } }],
    purl,
  });
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Folders of optional packages with native code, if they are installed. */
export function listNativeFolders(root, manifest) {
  return Object.keys(manifest.optionalDependencies)
    .map((name) => join(root, 'node_modules', name))
    .filter((folder) => existsSync(folder));
}

function describePackage({ name, version, license }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  // An expression names several licenses: (MIT OR CC0-1.0).
  const isExpression = /\s/.test(license);
  return {
    type: 'library',
    'bom-ref': purl,
    name,
    version,
    licenses: [isExpression ? { expression: license } : { license: { id: license } }],
    purl,
  };
}
