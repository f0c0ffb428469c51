import { expect, test } from 'vitest';
import { isLockFile } from './source-files.ts';

test.each(
  `deno.lock mix.lock pubspec.lock Package.resolved gradle.lockfile flake.lock conan.lock Podfile.lock uv.lock pdm.lock
   bun.lock bun.lockb npm-shrinkwrap.json paket.lock packages.lock.json cabal.project.freeze stack.yaml.lock rebar.lock
   Manifest.toml .terraform.lock.hcl sub/pylock.dev.toml app/Cargo.lock`.split(/\s+/),
)('[trial 2 6] %s is a lockfile', (path) => expect(isLockFile(path)).toBe(true));

test.each(['src/lock.ts', 'Cargo.toml', 'pyproject.toml', 'package.json', 'docs/deno.lock.md'])('%s is none', (path) =>
  expect(isLockFile(path)).toBe(false),
);
