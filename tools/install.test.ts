// First starts of the launcher in a checkout of their own, with a script in the place of npm and of Bun.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const FILES = ['tools/run.mjs', 'tools/install.mjs', 'tools/commands.mjs']
const KEEP_RUNNING = 'packages/gateway/src/process/keep-running.mjs'
const ROOT = dirname(import.meta.dir)
const LOCKFILE = JSON.stringify({
  packages: { '': { dependencies: { bun: '1.0.0' } }, 'node_modules/bun': { version: '1.0.0' } },
})
const LOCK = '.install.lock'

/** Deletes and rebuilds node_modules as `npm ci` does. It fails if another install deletes the folder meanwhile. */
const NPM = `
const { appendFileSync, mkdirSync, rmSync, writeFileSync } = require('node:fs')
rmSync('node_modules', { recursive: true, force: true })
mkdirSync('node_modules/bun/bin', { recursive: true })
mkdirSync('node_modules/gpt-tokenizer/cjs', { recursive: true })
writeFileSync('node_modules/bun/package.json', '{}')
setTimeout(() => {
  appendFileSync('installs', 'x')
  writeFileSync('arguments', process.argv.join(' '))
  const bun = '#!/bin/sh\\necho started\\nexit 0\\n'
  writeFileSync('node_modules/bun/bin/bun.exe', bun + '#'.repeat(1_000_001), { mode: 0o755 })
  writeFileSync('node_modules/.package-lock.json', ${JSON.stringify(LOCKFILE)})
}, 500)
`

let checkout: string
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'trivium-install-'))
  for (const file of [...FILES, KEEP_RUNNING]) cpSync(join(ROOT, file), join(checkout, file))
  writeFileSync(join(checkout, 'package-lock.json'), LOCKFILE)
  writeFileSync(join(checkout, 'npm.js'), NPM)
})
afterEach(() => rmSync(checkout, { recursive: true, force: true }))

type Ended = { code: number; stdout: string; stderr: string }

async function start(npm = 'npm.js', args = ['tools/run.mjs', 'version']): Promise<Ended> {
  const child = Bun.spawn(['node', ...args], {
    cwd: checkout,
    env: { PATH: process.env.PATH ?? '', npm_execpath: join(checkout, npm) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
  return { code, stdout, stderr }
}

const installs = () => readFileSync(join(checkout, 'installs'), 'utf8').length
const isLocked = () => existsSync(join(checkout, LOCK))

test('several first starts at once install once, and all of them run', async () => {
  const all = await Promise.all([start(), start(), start()])
  expect(all.map(({ code, stdout }) => [code, stdout])).toEqual(Array(3).fill([0, 'started\n']))
  const installed = all.filter(({ stderr }) => stderr.includes('Installing dependencies'))
  expect(installed).toHaveLength(1)
  expect(installed[0]?.stderr).toMatch(/: 0 of 1 packages, 0 s\n(.*\n)*.*: 1 of 1 packages, \d s\n/)
  expect([installs(), isLocked()]).toEqual([1, false])
  expect((await start()).stderr).toBe('')
})

test.each([
  ['version', '--omit=dev', 'removes'],
  [':build', '--omit=dev', 'removes'],
  [':notice', '--include=dev', 'keeps'],
])('%s installs with %s, and %s what the server does not load', async (task, option, done) => {
  expect(await start('npm.js', ['tools/run.mjs', task])).toMatchObject({ code: 0, stdout: 'started\n' })
  expect(readFileSync(join(checkout, 'arguments'), 'utf8')).toContain(` ci ${option} `)
  expect(existsSync(join(checkout, 'node_modules/gpt-tokenizer/cjs'))).toBe(done === 'keeps')
})

test('the lock of a process that was killed during its install does not stop the next start', async () => {
  const killed = Bun.spawn(['true'])
  await killed.exited
  writeFileSync(join(checkout, LOCK), String(killed.pid))
  expect(await start()).toMatchObject({ code: 0, stdout: 'started\n' })
  expect([installs(), isLocked()]).toEqual([1, false])
})

test('a lock that its owner does not renew is removed: its process id may belong to another program now', async () => {
  writeFileSync(join(checkout, LOCK), String(process.pid))
  const install = "import('./tools/install.mjs').then(({ installOnce }) => installOnce('.', 'server', 300))"
  expect((await start('npm.js', ['-e', install])).code).toBe(0)
  expect([installs(), isLocked()]).toEqual([1, false])
})

test('a failed install releases the lock and exits 1', async () => {
  writeFileSync(join(checkout, 'failing.js'), 'process.exit(7)')
  const { code, stderr } = await start('failing.js')
  expect([code, isLocked()]).toEqual([1, false])
  expect(stderr).toContain('trivium: npm could not install the dependencies')
  expect((await start()).code).toBe(0)
})

test('no package runs a script when it is installed, in whichever folder npm is called', () => {
  const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8')
  const patterns = ['package.json', '*/package.json', '*/*/package.json']
  const folders = patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)])
  const own = folders.filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path)).map(dirname)
  const { workspaces } = JSON.parse(read('package.json')) as { workspaces: string[] }
  const members = workspaces.map((pattern) => new Bun.Glob(pattern))
  // npm reads the settings of the root in its workspaces, and only there.
  const alone = own.filter((folder) => !members.some((pattern) => pattern.match(folder)))
  expect(alone.toSorted()).toEqual(['.', 'court', 'exhaustive'])
  for (const folder of alone)
    expect([folder, read(folder, '.npmrc')]).toEqual([folder, expect.stringMatching(/^ignore-scripts=true$/m)])
  for (const folder of own)
    expect([folder, readdirSync(join(ROOT, folder)).includes('.npmrc')]).toEqual([folder, alone.includes(folder)])
})
