// The one file that commands of a clone run from: made of these sources, and used for as long as they are the same.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledCommands, linkCommand } from './commands.mjs'

const ROOT = join(import.meta.dir, '..')
const CACHE = 'node_modules/.cache/trivium-commands'
const folder = mkdtempSync(join(tmpdir(), 'trivium-commands-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function run(...command: string[]) {
  const env = { TRIVIUM_DATA: join(folder, 'data'), PATH: process.env.PATH ?? '' }
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}

type Current = { folder: string; inputs: [string, number, number][] }
let current: Current
beforeAll(async () => {
  const made = await run(process.execPath, 'tools/build/commands.ts', join(folder, CACHE))
  expect(made).toMatchObject({ stderr: '', code: 0 })
  current = await Bun.file(join(folder, CACHE, 'current.json')).json()
})

test('it does what the sources do', async () => {
  const main = join(folder, CACHE, current.folder, 'main.js')
  const command = (...args: string[]) => run(process.execPath, '--no-env-file', main, ...args)
  const fromSources = await run('node', 'tools/run.mjs', 'version')
  expect(await command('version')).toEqual(fromSources)
  expect((await command('no-such-command')).code).toBe(2)
  const config = await command('config', 'check', '--json')
  expect(JSON.parse(config.stdout)).toMatchObject({ ok: true })
  expect((await command('account', 'list')).stderr).toContain('start the server once')
})

test('a source that has changed, or is gone, ends its use', () => {
  const clone = join(folder, 'changed')
  mkdirSync(join(clone, CACHE), { recursive: true })
  const source = join(clone, 'source.ts')
  writeFileSync(source, 'export {}')
  expect(bundledCommands(clone)).toBeUndefined()
  const { mtimeMs, size } = statSync(source)
  const inputs = [['source.ts', mtimeMs, size]]
  writeFileSync(join(clone, CACHE, 'current.json'), JSON.stringify({ folder: 'one', inputs }))
  expect(bundledCommands(clone)).toBe(join(clone, CACHE, 'one/main.js'))
  appendFileSync(source, '\n')
  expect(bundledCommands(clone)).toBeUndefined()
  rmSync(source)
  expect(bundledCommands(clone)).toBeUndefined()
})

test('its inputs are the sources of all commands, and the packages that are installed', () => {
  const paths = current.inputs.map(([path]) => path)
  const named = ['package.json', 'packages/gateway/src/cli/run.ts', 'node_modules/.package-lock.json']
  expect(paths).toEqual(expect.arrayContaining(named))
  expect(paths.filter((path) => path.includes('/server/serve.ts'))).toEqual([])
})

test('npx finds the command', () => {
  const clone = join(folder, 'clone')
  for (let time = 0; time < 2; time++) linkCommand(clone)
  const link = join(clone, 'node_modules/.bin/trivium')
  expect(join(link, '..', readlinkSync(link))).toBe(join(clone, 'tools/run.mjs'))
  expect(existsSync(link)).toBe(false)
})
