// The package of the court, run by Node beside the packages that it depends on.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from '../../bench/harness/processes.ts'
import type { RunningPeer } from '../../bench/peers/peer.ts'
import { trivium } from '../../bench/peers/trivium.ts'
import { writeCourtPackage } from '../../tools/build/court-package.ts'

const ROOT = join(import.meta.dir, '../..')
const parent = mkdtempSync(join(tmpdir(), 'court-package-'))
let folder: string
let port: number
let gateway: RunningPeer
beforeAll(async () => {
  folder = await writeCourtPackage('1.2.3', parent)
  const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { dependencies: object }
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(['openai', 'ai-7', '@langchain/core']))
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    const [own = '', other = ''] = ['exhaustive', '.'].map((place) => join(ROOT, place, 'node_modules', name))
    symlinkSync(existsSync(own) ? own : other, link)
  }
  port = await freePort()
  gateway = await trivium.start({ origin: `http://127.0.0.1:${port}`, model: 'sandbox-text' })
})
afterAll(async () => {
  await gateway.stop()
  rmSync(parent, { recursive: true, force: true })
})

async function court(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = Bun.spawn(['node', join(folder, 'court.mjs'), ...args], { stdout: 'pipe', stderr: 'pipe', cwd: parent })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, stdout, stderr }
}

test('it runs a gateway by official SDKs and frameworks, with its own vendor, and writes both reports', async () => {
  const at = ['--url', gateway.url, '--key', gateway.key, '--models', 'over-messages', '--upstream', String(port)]
  const areas = ['--areas', 'answers,tool loops,streaming', '--product', 'trivium']
  const { code, stdout, stderr } = await court(...at, ...areas, '--json', 'out.json', '--html', 'out.html')
  expect({
    code,
    stdout: stdout
      .trim()
      .split('\n')
      .map((line) => line.trim()),
    stderr,
  }).toMatchObject({ code: 0 })
  expect(stdout).toMatch(/^answers +15\d +0 /m)
  expect(stdout).toMatch(/^tool loops +4\d +0 /m)
  expect(stderr).toContain(`http://127.0.0.1:${port}/v1`)
  const report = readFileSync(join(parent, 'out.json'), 'utf8')
  expect(JSON.parse(report)).toMatchObject({ product: 'trivium', vendor: true, court: '1.2.3' })
  expect(report).not.toContain(gateway.key)
  expect(readFileSync(join(parent, 'out.html'), 'utf8')).toContain('<h2>Failed (0)</h2>')
})

test.each([
  [['--url', 'x', '--key', 'k', '--models', 'm'], '--url takes a URL'],
  [['--key', 'k'], 'needs --url, --key and --models'],
  [['--areas', 'nothing', '--url', 'http://127.0.0.1:1', '--key', 'k', '--models', 'm'], 'there is no area nothing'],
  [['--peer', 'litellm'], '--peer needs a checkout'],
  [['--no-such'], 'no-such'],
])('what it cannot run is said: %p', async (args, words) => {
  const { code, stderr } = await court(...args)
  expect(code).toBe(2)
  expect(stderr).toContain(words)
})
