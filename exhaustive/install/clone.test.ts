// The first start from a clone, with the packages that npm fetches: how much is installed, what is shown meanwhile, and what a command
// costs from then on.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'

const ROOT = join(import.meta.dir, '../..')
const MIB = 1024 * 1024
/** npm, a registry far away and a busy machine. */
const INSTALLED_MS = 240_000
const clone = mkdtempSync(join(tmpdir(), 'trivium-clone-'))
const { TRIVIUM_DATA: _, npm_execpath: __, ...ours } = process.env
const env = { ...ours, PORT: '0', npm_config_prefer_offline: 'true' }
let gateway: ChildProcess
let printed = ''

beforeAll(() => {
  // What git would bring, with the changes that are not committed yet.
  const listed = Bun.spawnSync(['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT })
  for (const path of listed.stdout.toString().split('\0'))
    if (path !== '' && existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(clone, path))
  gateway = spawn('npm', ['start'], { cwd: clone, env, detached: true })
  for (const stream of [gateway.stdout, gateway.stderr])
    stream?.on('data', (text) => {
      printed += text
    })
})
afterAll(() => {
  if (gateway.exitCode === null) process.kill(-(gateway.pid ?? 0), 'SIGKILL')
  rmSync(clone, { recursive: true, force: true })
})

const command = join(clone, 'node_modules/.bin/trivium')
async function trivium(...args: string[]) {
  const child = Bun.spawn(args, { cwd: clone, env, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, code] = await Promise.all([child.stdout.text(), child.exited])
  return { stdout, code, cpuMs: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000 }
}

/** Blocks on disk, as `du` counts them. */
function bytesOf(path: string): number {
  const stat = lstatSync(path)
  const inside = stat.isDirectory() ? readdirSync(path).map((name) => bytesOf(join(path, name))) : []
  return inside.reduce((sum, each) => sum + each, stat.blocks * 512)
}

test('it shows how far it is, and starts', async () => {
  await eventually(() => printed.includes('"address":'), INSTALLED_MS)
  const shown = [...printed.matchAll(/Installing dependencies \(once\): (\d+) of (\d+) packages/g)]
  const counts = shown.map(([, present]) => Number(present))
  expect([counts[0], counts.at(-1)]).toEqual([0, Number(shown[0]?.[2])])
  expect(counts.toSorted((one, other) => one - other)).toEqual(counts)
  const url = /"address":"([^"]+)/.exec(printed)?.[1]
  expect((await fetch(`${url}/ready`)).status).toBe(200)
})

/** A command is node, which starts Bun, which runs one file: about 0.33 s of CPU where a bare start of node takes 0.1 s. */
const MOST_STARTS_OF_NODE = 4

test('at most 150 MB are installed, and a command takes as much CPU as a few bare starts of node', async () => {
  await eventually(() => existsSync(join(clone, 'node_modules/.cache/trivium-commands/current.json')), INSTALLED_MS)
  expect(bytesOf(join(clone, 'node_modules')) / MIB).toBeLessThan(150)
  const bare: number[] = []
  const runs: number[] = []
  // The least of several, in turns: others use this machine, too, and then all CPU time is longer.
  for (let run = 0; run < 7; run++) {
    bare.push((await trivium('node', '--eval', '')).cpuMs)
    const { stdout, code, cpuMs } = await trivium(command, 'account', 'list')
    expect([code, stdout]).toEqual([0, expect.stringContaining('newcomer@trivium.local')])
    runs.push(cpuMs)
  }
  expect(Math.min(...runs) / Math.min(...bare)).toBeLessThan(MOST_STARTS_OF_NODE)
})

test('npx runs the command of the clone, without a server too', async () => {
  process.kill(-(gateway.pid ?? 0), 'SIGINT')
  await eventually(() => gateway.exitCode !== null || gateway.signalCode !== null)
  // Threads of the store come from the file of all commands.
  const listed = await trivium('npx', 'trivium', 'account', 'list', '--json')
  expect(JSON.parse(listed.stdout)).toMatchObject([{ name: 'newcomer@trivium.local' }])
  expect((await trivium('npx', 'trivium', 'no-such-command')).code).toBe(2)
})
