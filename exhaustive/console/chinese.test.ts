// The console in Chinese: no page, for account holders or operators, shows a word of English that is not a name, a unit or code.
import { beforeAll, expect, test } from 'bun:test'
import { CLIENTS } from '../../packages/console/src/snippets/clients/index.ts'
import { openSqlite } from '../../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import { KINDS } from '../../packages/gateway/src/upstreams/kinds/index.ts'
import type { Page } from '../../test/support/browser.ts'
import { openConsole } from '../../test/support/console/page.ts'
import type { Account } from '../../test/support/console/use-console.ts'
import {
  sendImage,
  sendText,
  sendUnpriced,
  sendVideo,
  THIRD_GROUP,
  VARIED_MODELS,
  VARIED_UPSTREAMS,
} from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'
import type { GatewayOptions } from '../../test/support/gateway/gateway.ts'
import { newHomeWithTables } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const CONFIG = `
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
groups: [{ id: default, models: ["*"] }, ${THIRD_GROUP}]
`

/** Names that the data has. */
const DATA = [
  'Playground',
  'first key',
  'priority',
  'default',
  'third',
  'demo',
  'spare',
  'gpt-y',
  'flaky',
  'broken',
  'free',
  'painter',
  'filmer',
  'team=search',
]
/** Names of products, protocols, formats and units. */
const NAMES = [
  'LiteLLM',
  'JWT',
  'Access Key ID',
  'Secret Access Key',
  ...['OpenAI Chat Completions', 'OpenAI Responses', 'Anthropic Messages', 'Gemini generateContent', 'OpenID Connect'],
  ...['X-Forwarded-For', 'JSON Lines', 'JSON', 'CSV', 'YAML', 'HTTPS', 'HTTP', 'URL', 'Base', 'API', 'ID', 'IP', 'CA'],
  ...['Trivium', 'Token', 'USD', 'UTC', 'GMT', 'ms', 'KiB', 'MiB', 'GiB', 'Webhook', 'STARTTLS', 'multipart', 'curl'],
  ...['SQLite', 'Bun', 'linux', 'English', 'Top P', 'Shift', 'Enter', 'Ctrl', 'sandbox', 'OpenAI', 'Gateway', 'mailto'],
  ...[...CLIENTS, ...KINDS.values()].map(({ name }) => name),
]
/** Longer ones first: `HTTP` is a part of `HTTPS`. */
const KNOWN = [...DATA, ...NAMES]
  .sort((one, other) => other.length - one.length)
  .map((name) => new RegExp(`(?<![A-Za-z])${name.replace(/[.()]/g, '\\$&')}(?![A-Za-z])`, 'g'))

/** An alert that fired before the start. */
async function withAlert(): Promise<GatewayOptions> {
  const home = await newHomeWithTables('sqlite', CONFIG)
  const { alerts, close } = await openSqlite(home.dataDir)
  const since = Date.now() - 600_000
  const full = { rule: 'disk_full', object: '/data', value: '95 % used', since }
  await alerts.fire((await alerts.begin(full))?.id ?? 0n, since, [])
  await close()
  return { home }
}

const open = useOperators(withAlert)
let owner: Account
let request = ''
const MONTH = new Date().toISOString().slice(0, 7)

/** Something for each page to show. */
beforeAll(async () => {
  owner = await open.as('owner')
  const { gateway } = open
  const { url } = gateway
  const created = await owner.client.post('keys', { name: '甲', group: 'default' })
  const { secret } = created.body as { secret: string }
  const ids = await Promise.all([0, 1, 2, 3, 4, 6].map((index) => sendText(url, secret, index)))
  request = ids[1] ?? ''
  await Promise.all([sendUnpriced(url, secret), sendImage(url, secret), sendVideo(url, secret)])
  await operate(gateway, 'code create', { amount: '5', label: '甲' })
  await operate(gateway, 'invitation create', { role: 'viewer' })
  await operate(gateway, 'budget create', { kind: 'all', amount: '5', period: 'day' })
  await owner.client.post('budgets', { kind: 'tag', value: '甲', amount_usd: '5', hard: false })
})

const MINE = [
  ...[
    '/',
    '/keys',
    '/connect',
    '/models',
    '/models?model=gpt-y',
    '/usage',
    '/usage?request=REQUEST',
    '/wallet',
    '/budgets',
  ],
  ...['/playground', '/playground?tab=image', '/playground?tab=video', '/settings', '/nothing'],
  ...['/settings/notices', '/wallet/statements/MONTH'],
]
const OPERATE = [
  ...['start', 'overview', 'requests', 'requests?request=REQUEST', 'requests?view=rejected', 'tasks?view=all', 'usage'],
  ...[
    'accounts',
    'accounts/2',
    'accounts/2/notices',
    'accounts/2/statements',
    'keys',
    'accounts/2/budgets',
    'budgets',
    'codes',
    'upstreams',
    'upstreams/demo',
    'models',
    'models?model=gpt-y',
    'groups',
  ],
  ...['groups?group=third', 'ledger', 'margin', 'alerts', 'people', 'people?tab=roles', 'people?tab=signIns'],
  ...['people?tab=adminKeys', 'people?tab=invitations', 'audit-log', 'configuration', 'configuration?tab=settings'],
  ...['configuration?tab=revisions', 'configuration?tab=exchange', 'configuration?tab=mail', 'system'],
].map((path) => `/operate/${path}`)
/** Pages that are open at once. */
const TABS = 4

test('no page shows English', async () => {
  const left = [...MINE, ...OPERATE]
  const found: string[] = []
  const tabs = Array.from({ length: TABS }, async () => {
    const first = left.shift() ?? '/'
    const opened = await openConsole(open.browser, open.gateway.url, first, { locale: 'zh-CN' }, owner.client.token())
    for (let path: string | undefined = first; path !== undefined; path = left.shift()) {
      await opened.page.goto(`${open.gateway.url}/console${path.replace('REQUEST', request).replace('MONTH', MONTH)}`)
      for (const text of await textsOf(opened.page)) if (englishIn(text) !== '') found.push(`${path}: ${text}`)
    }
    await opened.close()
  })
  await Promise.all(tabs)
  expect(found).toEqual([])
})

test.each([
  ['模型 gpt-y 的 Token，单位 USD', ''],
  ['server.public_url 和 person-1@example.com', ''],
  ['共 3 models', 'models'],
  ['Base URL needed', 'needed'],
  ['problems', 'problems'],
])('English in %s: %s', (text, expected) => {
  expect(englishIn(text)).toBe(expected)
})

/** The words that are left without names, and without code: in backticks, or with digits, dots, slashes or underscores. */
function englishIn(text: string): string {
  // Code, values of settings, models of the sandbox, and the last four characters of a key.
  const words = text.replace(/`[^`]*`|默认（[\w, ]*）|sandbox-\w+|…[\w-]{4}|\.{3}[\w-]{4}/g, ' ')
  const rest = KNOWN.reduce((left, name) => left.replace(name, ' '), words)
  const plain = rest.replace(/[\w+@:./-]*[\d_@/.][\w+@:./-]*/g, ' ')
  return (plain.match(/[A-Za-z]{2,}/g) ?? []).join(' ')
}

/** What a person sees or hears on the page. Code, and what is marked as English, is left out. */
async function textsOf(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor()
  await eventually(async () => (await page.locator('.skeleton').count()) === 0)
  return await page.evaluate(`(() => {
    const texts = new Set()
    const isCode = (element) => element.closest('script, style, code, pre, textarea, .font-mono, [lang=en]') !== null
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: element } = node
      if (element?.checkVisibility() && !isCode(element)) texts.add(node.data.trim())
    }
    for (const name of ['title', 'aria-label', 'placeholder', 'alt'])
      for (const element of document.body.querySelectorAll('[' + name + ']'))
        if (!isCode(element)) texts.add(element.getAttribute(name))
    return [...texts].filter((text) => /[A-Za-z]/.test(text))
  })()`)
}
