/** What each role may write itself; documents of the session are filed through tools, which Pawl writes. */

import { controlFolder } from './files/paths.ts';
import type { Role } from './vocabulary.ts';

const tests = [
  '**/{test,tests,spec,specs,__tests__,e2e,testing,fixtures}/**',
  '**/*{.,-,_}{test,tests,spec}.*',
  '**/{test,tests}.*',
  '**/test_*.*',
];

const buildAndConfig = [
  '*.{json,jsonc,toml,yaml,yml,ini,cfg,conf,lock,gradle,kts,cmake,xml,properties}',
  '**/{package.json,package-lock.json,pnpm-lock.yaml,yarn.lock,tsconfig*.json,Cargo.toml,Cargo.lock,go.mod,go.sum}',
  '**/{pyproject.toml,setup.py,setup.cfg,requirements*.txt,Gemfile,Gemfile.lock,pom.xml,CMakeLists.txt}',
  '**/{Makefile,Dockerfile,Justfile,Taskfile.yml,docker-compose*.{yml,yaml}}',
  '**/*.{config,rc}.{js,cjs,mjs,ts,mts,cts,json}',
  '.{github,gitlab,circleci,ci,buildkite}/**',
  '{.*rc,.*ignore,.editorconfig,.gitattributes,.gitlab-ci.yml,.npmrc,.nvmrc,.tool-versions}',
  '{scripts,build,ci,tools}/**',
];

const documentation = ['{README,CHANGELOG,CHANGES,HISTORY}*', '**/{README,CHANGELOG}*', 'docs/**', 'doc/**'];

const notTheSession = `!${controlFolder}/**`;

/** Globs; null for roles that write nothing but their documents. */
export const mayWrite: Readonly<Record<Role, readonly string[] | null>> = {
  SpecAgent: null,
  Researcher: null,
  Architect: null,
  Designer: null,
  Planner: null,
  Coder: ['**', notTheSession],
  Reviewer: null,
  QA: [...tests, notTheSession],
  Security: null,
  Integrator: [...buildAndConfig, ...documentation.slice(0, 2), notTheSession],
  Docs: [...documentation, notTheSession],
};
