// `npm run screenshots`: pictures of the console for the README, from a real gateway with an account that has used its keys. With --all: every page in both widths and both themes, into a folder of its own, for looking at them.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, startBrowser } from '../../test/support/browser.ts'
import { openConsole } from '../../test/support/console/page.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'

const README = [
  { name: 'console-overview', path: '/' },
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

const isAll = process.argv.includes('--all')
const folder = isAll ? mkdtempSync(join(tmpdir(), 'trivium-screenshots-')) : join(import.meta.dir, '../../docs/images')
mkdirSync(folder, { recursive: true })

const gateway = await startGateway({ config: CONFIG })
await use(gateway)
const browser = await startBrowser()
try {
  if (isAll) await shootAll(browser)
  else for (const { name, path, dark = false } of README) await shoot(browser, path, name, { width: 1280, dark })
} finally {
  await browser.close()
  await gateway.stop()
}
console.log(`The screenshots are in ${folder}.`)

async function shootAll(browser: Browser): Promise<void> {
  for (const width of [1280, 360])
    for (const dark of [false, true])
      for (const page of PAGES)
        await shoot(browser, `/${page}`, `${page || 'overview'}-${width}${dark ? '-dark' : ''}`, { width, dark })
}

async function shoot(browser: Browser, path: string, name: string, view: { width: number; dark: boolean }) {
  const { page, close } = await openConsole(browser, gateway.url, '/sign-in', view)
  await page.getByLabel('E-mail').fill(EMAIL)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.goto(`${gateway.url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isAll })
  console.log(name)
  await close()
}

/** An account with keys, and requests to several models. */
async function use(gateway: Gateway): Promise<void> {
  await gateway.command('account', 'create', '--email', EMAIL, '--password', PASSWORD, '--credit', '50')
  const keys: string[] = []
  for (const [name, ...more] of [
    ['laptop', '--cap', '20', '--cap-period', 'month'],
    ['production', '--cap', '100'],
    ['nightly batch', '--group', 'batch', '--expires', new Date(Date.now() + 30 * DAY_MS).toISOString()],
  ]) {
    const key = await gateway.command<{ secret: string }>(
      'key',
      'create',
      '--account',
      EMAIL,
      '--name',
      name ?? '',
      ...more,
    )
    keys.push(key.secret)
  }
  for (let number = 0; number < 60; number++) {
    const model = ['gpt-x', 'claude-x', 'gemini-x'][number % 3]
    const content = 'Tell me about lighthouses. '.repeat(1 + ((number * 37) % 400))
    await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys[number % keys.length]}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream: number % 2 === 0, messages: [{ role: 'user', content }] }),
    }).then((response) => response.text())
  }
}
