// `npm run screenshots`: pictures of the console for the README and the documentation, from a real gateway with several vendors and a month
// of traffic. With --all: every page in both widths and both themes, and in Chinese, into a folder of its own, for looking at them.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FIRST_PERSON } from '../../packages/gateway/src/storage/people/people.ts'
import { startSandboxServer } from '../../packages/sandbox/src/server.ts'
import { startBrowser } from '../../test/support/browser.ts'
import { openConsole, type View } from '../../test/support/console/page.ts'
import { COOKIE, consoleClient } from '../../test/support/gateway/console.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { newHome, runCommand } from '../../test/support/gateway/home.ts'
import { fillMany } from '../fill/fill-many.ts'
import { entriesOf, HOLDER, MODEL_IDS, OPERATOR, PASSWORD, PLAN, SETTINGS } from './demo.ts'

type Picture = View & { name: string; path: string; height?: number; by?: string }

const operate = (page: string, more: Partial<Picture> = {}): Picture => ({
  name: `operate-${page}`,
  path: `/operate/${page}`,
  by: OPERATOR,
  ...more,
})
const PICTURES: readonly Picture[] = [
  { name: 'console-overview', path: '/', height: 1_040 },
  { name: 'console-usage', path: '/usage' },
  { name: 'console-models', path: '/models', dark: true },
  operate('overview', { width: 1440, height: 1_000 }),
  operate('requests'),
  operate('accounts', { path: '/operate/accounts?order=oldest' }),
  operate('upstreams', { dark: true }),
  operate('models'),
  operate('margin'),
]
const MINE = ['', 'keys', 'models', 'usage', 'wallet', 'playground', 'settings']
const OPERATE = [
  ...['overview', 'requests', 'tasks', 'usage', 'accounts', 'accounts/2', 'keys', 'codes', 'upstreams', 'models'],
  ...['groups', 'ledger', 'margin', 'alerts', 'people', 'audit-log', 'configuration', 'system'],
]

const isAll = process.argv.includes('--all')
const folder = isAll ? mkdtempSync(join(tmpdir(), 'trivium-screenshots-')) : join(import.meta.dir, '../../docs/images')
mkdirSync(folder, { recursive: true })

const vendor = startSandboxServer({ host: '127.0.0.1', port: 0, faults: false })
const home = await newHome('sqlite', SETTINGS)
await fillMany(home.dataDir, PLAN)
const gateway = await startGateway({ home })
const browser = await startBrowser()
try {
  await configure()
  const tokens = new Map<string, string>()
  for (const email of [HOLDER, OPERATOR]) tokens.set(email, await prepare(email))
  await callEveryUpstream()
  for (const picture of isAll ? all() : PICTURES) await shoot(picture, tokens)
} finally {
  await browser.close()
  await gateway.stop()
  await vendor.stop()
}
console.log(`The screenshots are in ${folder}.`)

/** Stores the catalogue, and leaves no trace of the first start in the lists. */
async function configure(): Promise<void> {
  const file = join(home.dataDir, 'entries.yaml')
  writeFileSync(file, entriesOf(vendor.url))
  const { code, stderr } = await runCommand(home, ['config', 'import', file])
  if (code !== 0) throw new Error(stderr)
  await gateway.command('account', 'delete', '--account', FIRST_PERSON, '--force')
  await gateway.command('account', 'disable', '--account', 'margaret@example.com')
}

/** Until its first call the health of an upstream is unknown. */
async function callEveryUpstream(): Promise<void> {
  const { secret } = await gateway.command<{ secret: string }>(
    'key',
    'create',
    '--account',
    OPERATOR,
    '--name',
    'staging',
  )
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  for (const model of MODEL_IDS) {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
    const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })
    if (!response.ok) throw new Error(`${model}: ${await response.text()}`)
    await response.text()
  }
}

/** Lets a person sign in. */
async function prepare(email: string): Promise<string> {
  const { url } = await gateway.command<{ url: string }>('account', 'sign-in-link', '--account', email)
  const client = consoleClient(gateway.url)
  const token = new URL(url).hash.slice(1)
  await client.post('setup', { token, password: PASSWORD })
  if (email === OPERATOR) {
    await gateway.command('person', 'role', '--email', email, '--role', 'owner')
    await client.post('sign-in', { email, password: PASSWORD })
  }
  return client.token() ?? ''
}

function all(): Picture[] {
  const pages = [
    ...MINE.map((page) => ({ name: page || 'home', path: `/${page}` })),
    ...OPERATE.map((page) => operate(page, { name: `operate-${page.replace('/', '-')}` })),
  ]
  return pages.flatMap((page) => [
    ...[1280, 360].flatMap((width) =>
      [false, true].map((dark) => ({ ...page, name: `${page.name}-${width}${dark ? '-dark' : ''}`, width, dark })),
    ),
    { ...page, name: `${page.name}-1280-zh`, locale: 'zh-CN' },
  ])
}

async function shoot({ name, path, height, by = HOLDER, ...view }: Picture, tokens: ReadonlyMap<string, string>) {
  const { page, close } = await openConsole(browser, gateway.url, '/sign-in', { width: 1280, ...view })
  await page.context().addCookies([{ name: COOKIE, value: tokens.get(by) ?? '', url: gateway.url }])
  if (height !== undefined) await page.setViewportSize({ width: view.width ?? 1280, height })
  await page.goto(`${gateway.url}/console${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.evaluate('document.fonts.ready')
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: isAll })
  console.log(name)
  await close()
}
