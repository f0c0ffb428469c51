/** What the files of a project are, by their names, in all languages. */

const testFile =
  /(?:^|\/)(?:tests?|__tests__|spec|specs|e2e)\/|(?:^|\/)(?:test_[^/]*|[^/]*_test|conftest)\.py$|\.(?:test|spec)\.[cm]?[jt]sx?$|_(?:test|spec)\.(?:go|rs|rb)$|(?:Test|Tests|Spec)\.(?:java|kt|cs)$/;

export const isTestFile = (path: string): boolean => testFile.test(path);

const lockFiles = new Set(
  `package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock Cargo.lock
   poetry.lock uv.lock pdm.lock pylock.toml Pipfile.lock pixi.lock conda-lock.yml go.sum go.work.sum Gopkg.lock
   Gemfile.lock gems.locked composer.lock symfony.lock mix.lock rebar.lock pubspec.lock Package.resolved
   Podfile.lock Cartfile.resolved gradle.lockfile buildscript-gradle.lockfile settings-gradle.lockfile
   verification-metadata.xml maven_install.json MODULE.bazel.lock packages.lock.json paket.lock flake.lock
   conan.lock vcpkg-lock.json cabal.project.freeze stack.yaml.lock Manifest.toml JuliaManifest.toml renv.lock
   cpanfile.snapshot shard.lock dub.selections.json Chart.lock .terraform.lock.hcl`.split(/\s+/),
);

/** Those of a single scope, such as `pylock.dev.toml`. */
const lockName = /^pylock\.[\w-]+\.toml$|^Manifest-v[\d.]+\.toml$|\.lockfile$|^requirements[\w.-]*\.lock$/;

export function isLockFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return lockFiles.has(name) || lockName.test(name);
}
