// `npm run screenshots`: pictures of the console for the README, from a real gateway with an account that has used its keys for
// weeks. With --all: every page in both widths and both themes, and in Chinese, into a folder of its own, for looking at them.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NANOS_PER_USD } from '../../packages/gateway/src/money/amount.ts'
import { startBrowser } from '../../test/support/browser.ts'
import { openConsole, type View } from '../../test/support/console/page.ts'
import { COOKIE, consoleClient } from '../../test/support/gateway/console.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { newHome } from '../../test/support/gateway/home.ts'
import { fillStore } from '../fill/fill.ts'

const README = [
  { name: 'console-overview', path: '/', height: 1_040 },
  { name: 'console-usage', path: '/usage' },
  { name: 'console-models', path: '/models', dark: true },
]
const PAGES = ['', 'keys', 'models', 'usage', 'wallet', 'playground', 'settings']
const EMAIL = 'ada@example.com'
const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000

const CONFIG = `
sandbox: true
registration: { open: true }
upstreams: [{ id: demo, kind: sandbox }]
models:
  - { id: gpt-x, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 2.00, output: 8.00, cached_input: 0.50 }, limits: { context: 400000, max_output: 32768 } }
  - { id: claude-x, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 3.00, output: 15.00 }, limits: { context: 200000, max_output: 64000 } }
  - { id: gemini-x, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 1.25, output: 10.00 }, limits: { context: 1000000, max_output: 65536 } }
groups:
  - { id: default, models: ["*"] }
  - { id: batch, models: [gpt-x, claude-x, gemini-x], multiplier: 0.8, console: true }
`

const MODELS = [
  { id: 'gpt-x', input: 2_000_000_000n, output: 8_000_000_000n },
  { id: 'claude-x', input: 3_000_000_000n, output: 15_000_000_000n },
  { id: 'gemini-x', input: 1_250_000_000n, output: 10_000_000_000n },
]

const isAll = process.argv.includes('--all')
const folder = isAll ? mkdtempSync(join(tmpdir(), 'trivium-screenshots-')) : join(import.meta.dir, '../../docs/images')
mkdirSync(folder, { recursive: true })

const home = await newHome('sqlite', CONFIG)
await fillStore(home, {
  email: EMAIL,
  password: PASSWORD,
  models: MODELS,
  requests: 1_400,
  days: 45,
  stepMs: 60_000,
  topUps: 2,
  multiplierMillionths: { batch: 800_000n },
  keys: [
    { name: 'production', cap: 100n * NANOS_PER_USD },
    { name: 'laptop', cap: 20n * NANOS_PER_USD, capPeriod: 'month' },
    { name: 'nightly batch', group: 'batch', expiresAt: Date.now() + 30 * DAY_MS },
    { name: 'old laptop', deleted: true },
  ],
})
const gateway = await startGateway({ home })
const client = consoleClient(gateway.url)
await client.post('sign-in', { email: EMAIL, password: PASSWORD })
const browser = await startBrowser()
try {
  if (isAll) await shootAll()
  else for (const { name, path, ...view } of README) await shoot(path, name, { width: 1280, ...view })
} finally {
  await browser.close()
  await gateway.stop()
}
console.log(`The screenshots are in ${folder}.`)

async function shootAll(): Promise<void> {
  for (const page of PAGES) {
    const name = page || 'overview'
    for (const width of [1280, 360])
      for (const dark of [false, true])
        await shoot(`/${page}`, `${name}-${width}${dark ? '-dark' : ''}`, { width, dark })
    await shoot(`/${page}`, `${name}-1280-zh`, { width: 1280, locale: 'zh-CN' })
  }
}

async function shoot(path: string, name: string, view: View & { height?: number }): Promise<void> {
  const { page, close } = await openConsole(browser, gateway.url, '/sign-in', view)
  await page.context().addCookies([{ name: COOKIE, value: client.token() ?? '', url: gateway.url }])
  if (view.height !== undefined) await page.setViewportSize({ width: view.width ?? 1280, height: view.height })
  await page.goto(`${gateway.url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isAll })
  console.log(name)
  await close()
}
