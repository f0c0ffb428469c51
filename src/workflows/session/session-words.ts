/** Names a session uses in its table and beyond it. */

import { controlFolder } from './files/session-paths.ts';

export const roles = [
  'SpecAgent',
  'Researcher',
  'Architect',
  'Designer',
  'Planner',
  'Coder',
  'Reviewer',
  'QA',
  'Security',
  'Integrator',
  'Docs',
] as const;
export type Role = (typeof roles)[number];

export const projectTypes = ['web', 'api', 'cli', 'lib', 'mixed'] as const;
export type ProjectType = (typeof projectTypes)[number];

/** Those whose word lets work pass. */
export const judges: readonly string[] = ['Reviewer', 'QA', 'Security'] satisfies readonly Role[];

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

/** Globs of what a role writes itself; others write nothing but their documents, which they file through tools. */
export const mayWrite: Readonly<Record<string, readonly string[]>> = {
  Coder: ['**', notTheSession],
  QA: [...tests, notTheSession],
  Integrator: [...buildAndConfig, ...documentation.slice(0, 2), notTheSession],
  Docs: [...documentation, notTheSession],
};

/** The kinds of repair, each with attempts of its own for every task. */
export const kindOf = {
  fix_review: 'FIX_REVIEW',
  fix_tests: 'FIX_TESTS',
  fix_security: 'FIX_SECURITY',
  fix_build: 'FIX_BUILD',
} as const;
export type Repair = keyof typeof kindOf;
export type RepairKind = (typeof kindOf)[Repair];
export const repairs: readonly Repair[] = ['fix_review', 'fix_tests', 'fix_security', 'fix_build'];
export const repairKinds = Object.values(kindOf);

/** The states of a session, as status.json shows them. */
export const phases = [
  'INTAKE',
  'INTAKE_LEAN',
  'DESIGN',
  'APPROVE_DESIGN',
  'PLAN',
  'REVIEW_STRATEGY',
  'IMPLEMENT_LOOP',
  'ASK_USER',
  ...repairKinds,
  'INTEGRATE',
  'RELEASE',
  'DONE',
  'BLOCKED',
] as const;
export type Phase = (typeof phases)[number];
/** Where a decision belongs: never ASK_USER itself, which every one of them passes through. */
export type Context = Exclude<Phase, 'ASK_USER'>;
export const contexts = phases.filter((phase) => phase !== 'ASK_USER');

/** The decisions of gates: one each, asked again in place. Two of them are mandatory in every full session. */
export const designDecision = { id: 'UD-APPROVE-DESIGN', question: 'Is the design approved?' } as const;
export const strategyDecision = {
  id: 'UD-REVIEW-STRATEGY',
  question: 'How are the changes reviewed: per-batch or single-final?',
} as const;
export const commandsDecision = {
  id: 'UD-RUN-COMMANDS',
  question: 'May these commands run without a sandbox?',
} as const;
