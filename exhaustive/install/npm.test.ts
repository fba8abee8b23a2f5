// From npm: what a release publishes goes into a registry, and npx runs it in an empty folder, where nothing else is installed.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { eventually } from '../../test/support/eventually.ts'
import { PACKAGE_NAME } from '../../tools/build/npm-packages.ts'
import { type Registry, startRegistry } from '../support/registry.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'trivium-npm-'))
const [dist, empty] = [join(folder, 'dist'), join(folder, 'empty')]
let registry: Registry

async function run(cwd: string, env: Record<string, string>, ...command: string[]) {
  const child = Bun.spawn(command, { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

beforeAll(async () => {
  mkdirSync(empty)
  const build = run(
    ROOT,
    process.env as Record<string, string>,
    process.execPath,
    'tools/build/run.ts',
    '--release',
    '--out',
    dist,
  )
  registry = await startRegistry(join(folder, 'registry'))
  expect(await build).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await registry?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a release publishes its packages in an order in which each finds what it depends on', async () => {
  const files = readFileSync(join(dist, 'packages.txt'), 'utf8').trim().split('\n')
  expect(files.every((file) => readdirSync(dist).includes(file))).toBe(true)
  expect(
    readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
      .match(/\S+\.tgz$/gm)
      ?.join(' '),
  ).toBe(files.join(' '))
  for (const file of files) {
    const published = await run(
      dist,
      registry.env,
      'npm',
      'publish',
      '--access',
      'public',
      '--tag',
      'latest',
      `./${file}`,
    )
    expect([file, published.code, published.stderr.match(/^npm error.*/gm)]).toEqual([file, 0, null])
  }
})

test('npx runs it in an empty folder: it answers, and stops without a trace', async () => {
  const env = { ...registry.env, PORT: '0' }
  const command = ['--yes', PACKAGE_NAME]
  expect(await run(empty, env, 'npx', ...command, 'version')).toMatchObject({ stdout: `Trivium ${VERSION}\n`, code: 0 })
  expect((await run(empty, env, 'npx', ...command, 'no-such-command')).code).toBe(2)
  const child = spawn('npx', [...command, 'serve'], { cwd: empty, env, detached: true })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      printed += text
    })
  const exited = new Promise((resolve) => child.on('exit', resolve))
  await eventually(() => /sk-[\w-]+/.test(printed))
  const url = /"address":"([^"]+)/.exec(printed)?.[1]
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${/sk-[\w-]+/.exec(printed)?.[0]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('[sandbox]')])
  // As Ctrl-C in a terminal does: to all processes of the group.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await exited
  await eventually(() => printed.includes('"message":"stopped"'))
  expect(printed).not.toContain('"level":"error"')
  expect(readdirSync(empty)).toEqual(['data'])
})
