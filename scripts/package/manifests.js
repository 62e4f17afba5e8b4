// Manifests of package managers: Homebrew installs the npm package, Scoop and winget the executable
// for Windows.
import { stringify } from 'yaml';

/**
 * Homebrew formula.
 * @param release version, license, description, url and sha256 of the npm package
 */
export function formatHomebrewFormula({ version, license, description, url, sha256 }) {
  return `class Vmctl < Formula
  desc "${description}"
  homepage "${new URL('.', url).href}"
  url "${url}"
  version "${version}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
    man1.install_symlink libexec.glob("lib/node_modules/vmctl/man/*.1")
    bash_completion.install libexec/"lib/node_modules/vmctl/completions/vmctl.bash" => "vmctl"
    zsh_completion.install libexec/"lib/node_modules/vmctl/completions/_vmctl"
    fish_completion.install libexec/"lib/node_modules/vmctl/completions/vmctl.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/vmctl --version")
  end
end
`;
}

/**
 * Scoop manifest.
 * @param release version, license, description, url and sha256 of the executable for Windows
 */
export function formatScoopManifest({ version, license, description, url, sha256 }) {
  const manifest = {
    version,
    description,
    homepage: new URL('.', url).href,
    license,
    architecture: { '64bit': { url: `${url}#/vmctl.exe`, hash: sha256 } },
    bin: 'vmctl.exe',
  };
  return `${JSON.stringify(manifest, null, 4)}\n`;
}

/** Id of the package in winget: publisher and name. */
const wingetId = 'vmctl.vmctl';

/**
 * Manifests of winget, which installs the executable as a portable program.
 * @param release version, license, description, url and sha256 of the executable for Windows
 * @returns file names with their contents
 */
export function formatWingetManifests({ version, license, description, url, sha256 }) {
  const format = (ManifestType, members) =>
    stringify({
      PackageIdentifier: wingetId,
      PackageVersion: version,
      ...members,
      ManifestType,
      ManifestVersion: '1.6.0',
    });
  return {
    [`${wingetId}.yaml`]: format('version', { DefaultLocale: 'en-US' }),
    [`${wingetId}.locale.en-US.yaml`]: format('defaultLocale', {
      PackageLocale: 'en-US',
      Publisher: 'vmctl',
      PackageName: 'vmctl',
      PackageUrl: new URL('.', url).href,
      License: license,
      ShortDescription: description,
    }),
    [`${wingetId}.installer.yaml`]: format('installer', {
      InstallerType: 'portable',
      Commands: ['vmctl'],
      Installers: [
        { Architecture: 'x64', InstallerUrl: url, InstallerSha256: sha256.toUpperCase() },
      ],
    }),
  };
}
