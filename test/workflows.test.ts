// The workflows: what they may run, with which rights, and what leaves them when.
import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const GITHUB = join(import.meta.dir, '../.github')
const FOLDER = join(GITHUB, 'workflows')

type Step = { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string>; if?: string }
type Job = {
  needs?: string | string[]
  if?: string
  uses?: string
  steps?: Step[]
  permissions?: Record<string, string>
  environment?: string
  'timeout-minutes'?: number
  strategy?: { matrix: Record<string, unknown[]> }
}
type Workflow = { on: Record<string, unknown>; permissions: object; jobs: Record<string, Job> }

const texts = new Map(readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]))
const workflows = new Map([...texts].map(([name, text]) => [name, parse(text) as Workflow]))
const jobsOf = (name: string) => workflows.get(name)?.jobs ?? {}
const jobs = [...workflows].flatMap(([file, { jobs }]) =>
  Object.entries(jobs).map(([name, job]) => ({ name: `${file} ${name}`, file, job })),
)
const stepsOf = ({ steps = [] }: Job): Step[] => steps
const isOfTag = (text = '') => /startsWith\(github\.ref, 'refs\/tags\/'\)|github\.ref_type == 'tag'/.test(text)

/** What a job may beyond reading the repository. A job that is not here may nothing else. */
const RIGHTS: Readonly<Record<string, Record<string, string>>> = {
  'release.yml attest': { 'id-token': 'write', attestations: 'write' },
  'release.yml npm': { 'id-token': 'write' },
  'release.yml image': { packages: 'write' },
  'release.yml manifest': { packages: 'write', 'id-token': 'write', attestations: 'write' },
  'release.yml page': { contents: 'write' },
  'certify.yml propose': { contents: 'write', 'pull-requests': 'write' },
}
/** The only secrets: keys of vendors, where they are called. */
const SECRETS = /^(OPENAI_API_KEY|ANTHROPIC_API_KEY|GEMINI_API_KEY|ARK_API_KEY|CERTIFY_CONFIG)$/

test('there are these workflows', () => {
  expect([...workflows.keys()].sort()).toEqual(['certify.yml', 'release.yml', 'test.yml'])
})

describe.each(jobs)('$name', ({ name, job }) => {
  test('has the least rights, and an end', () => {
    const { contents, ...more } = job.permissions ?? { contents: 'of the workflow' }
    const { contents: write, ...allowed } = RIGHTS[name] ?? {}
    expect([name, more]).toEqual([name, allowed])
    if (write === undefined) expect(contents ?? 'read').toBe('read')
    if (job.uses === undefined) expect(job['timeout-minutes']).toBeGreaterThan(0)
  })

  test('runs actions of GitHub alone, by commit, and keeps no credential in a checkout', () => {
    for (const { uses, with: given = {} } of stepsOf(job)) {
      if (uses === undefined) continue
      expect(uses).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/)
      if (uses.startsWith('actions/checkout@') && name !== 'certify.yml propose')
        expect(given['persist-credentials']).toBe(false)
    }
    if (job.uses !== undefined) expect(job.uses).toMatch(/^\.\//)
  })

  test('puts no text of others into a shell', () => {
    for (const { run = '' } of stepsOf(job)) expect(run).not.toContain('${{')
  })
})

test('each commit of an action is the same everywhere, and has its version beside it', () => {
  const pins = [...texts.values()].flatMap((text) => [...text.matchAll(/uses: (actions\/\S+)@(\S+)(.*)$/gm)])
  expect(pins.length).toBeGreaterThan(10)
  const seen = new Map<string, string>()
  for (const [, action = '', commit = '', comment = ''] of pins) {
    expect([action, comment]).toEqual([action, expect.stringMatching(/^ # v\d+\.\d+\.\d+$/)])
    expect(seen.get(action) ?? commit + comment).toBe(commit + comment)
    seen.set(action, commit + comment)
  }
})

test('a workflow has no rights of its own', () => {
  for (const [name, { permissions }] of workflows) expect([name, permissions]).toEqual([name, {}])
})

test('no secret publishes anything', () => {
  for (const [name, text] of texts)
    for (const [, secret = ''] of text.matchAll(/secrets\.(\w+)/g))
      expect([name, secret]).toEqual(['certify.yml', expect.stringMatching(SECRETS)])
  expect(texts.get('release.yml')).not.toMatch(/NODE_AUTH_TOKEN|NPM_TOKEN|_authToken/)
})

describe('release', () => {
  const release = workflows.get('release.yml')
  const all = Object.entries(jobsOf('release.yml'))

  test('every change is a dry run, and a tag is none', () => {
    expect(release?.on).toEqual({ push: { branches: ['main'], tags: ['v*'] }, pull_request: null })
    const always = all.filter(([, job]) => !isOfTag(job.if) || job.if?.includes('||')).map(([name]) => name)
    expect(always).toEqual(['build', 'npm', 'image'])
  })

  test('what leaves it does so for a tag alone, after the tests and the attestation', () => {
    const leaving = all.flatMap(([name, job]) =>
      stepsOf(job).flatMap((step) =>
        /npm publish|docker push|imagetools create|gh release/.test(step.run ?? '') ? [{ name, job, step }] : [],
      ),
    )
    expect(leaving.map(({ name }) => name)).toEqual(['npm', 'image', 'manifest', 'page'])
    for (const { name, job, step } of leaving) {
      const isDry = step.run?.includes('--dry-run="$DRY_RUN"')
      if (isDry) expect(step.env?.DRY_RUN).toContain("github.ref_type == 'tag' && 'false' || 'true'")
      else expect([name, isOfTag(step.if) || isOfTag(job.if)]).toEqual([name, true])
    }
    for (const name of ['npm', 'image'])
      expect(jobsOf('release.yml')[name]?.if).toContain(
        "(needs.attest.result == 'success' || github.ref_type != 'tag')",
      )
    expect(jobsOf('release.yml').attest?.needs).toEqual(['test', 'build'])
    expect(jobsOf('release.yml').page?.needs).toEqual(['build', 'npm', 'manifest'])
  })

  test('one job builds, and all others check that they have its files', () => {
    const builders = all.filter(([, job]) => stepsOf(job).some(({ run = '' }) => /npm run -s build/.test(run)))
    expect(builders.map(([name]) => name)).toEqual(['build'])
    expect(stepsOf(builders[0]?.[1] ?? {}).some(({ with: given }) => given?.cache !== undefined)).toBe(false)
    for (const name of ['npm', 'image', 'page']) {
      const runs = stepsOf(jobsOf('release.yml')[name] ?? {}).map(({ run = '' }) => run)
      expect([name, runs.join('\n')]).toEqual([name, expect.stringContaining('sha256sum --check --quiet SHA256SUMS')])
    }
    expect(texts.get('release.yml')).toContain('subject-checksums: dist/SHA256SUMS')
  })

  test('npm is published to by trust in this workflow', () => {
    const npm = jobsOf('release.yml').npm
    expect(npm?.environment).toContain("'npm'")
    const node = stepsOf(npm ?? {}).find(({ uses }) => uses?.startsWith('actions/setup-node@'))
    // Trusted publishing needs npm 11.5.1, which comes with Node 24.
    expect(node?.with?.['node-version']).toBe(24)
  })
})

test('everything that is supported is tested: three platforms with three versions of Node', () => {
  const { install, test: most } = jobsOf('test.yml')
  expect(install?.strategy?.matrix).toEqual({
    os: ['ubuntu-24.04', 'ubuntu-24.04-arm', 'macos-15'],
    node: [20, 22, 24],
  })
  expect(most?.strategy?.matrix).toEqual({ node: [20, 22, 24] })
})

test('certification has a cap, and the job with the keys cannot write', () => {
  const { certify } = jobsOf('certify.yml')
  const step = stepsOf(certify ?? {}).find(({ env }) => env?.CERTIFY_CONFIG !== undefined)
  expect(step?.env?.CERTIFY_MAX_USD).toContain("'1'")
  expect(step?.run).toContain('nothing to certify')
  expect(certify?.permissions).toEqual({ contents: 'read' })
  expect(workflows.get('certify.yml')?.on).toEqual({ schedule: [{ cron: '17 3 * * *' }], workflow_dispatch: null })
})

test('a bot proposes updates of packages, actions and images', () => {
  type Update = { 'package-ecosystem': string; directory?: string; directories?: string[] }
  const { updates } = parse(readFileSync(join(GITHUB, 'dependabot.yml'), 'utf8')) as { updates: Update[] }
  const places = updates.map(({ 'package-ecosystem': of, directory, directories }) => [of, directories ?? directory])
  expect(places).toEqual([
    ['npm', ['/', '/exhaustive']],
    ['github-actions', '/'],
    ['docker', '/deploy'],
  ])
})
