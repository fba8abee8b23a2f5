// The model square in a real browser: find a model, compare its prices, copy its id and its snippet, try it.
import { expect, test } from 'bun:test'
import { MODEL_TYPES } from '../../packages/gateway/src/modalities/index.ts'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { type Account, useConsole } from '../../test/support/console/use-console.ts'
import { consoleClient, PASSWORD } from '../../test/support/gateway/console.ts'

const FEW_MODELS = 9
const MANY = Array.from(
  { length: 60 },
  (_, index) =>
    `  - { id: acme-${String(index).padStart(2, '0')}, routes: [{ upstream: main }], price: { input: 1, output: 20 } }`,
)
const CONFIG = `
sandbox: true
upstreams:
  - { id: main, dialect: chat, base_url: "http://127.0.0.1:1/v1", keys: [k] }
  - { id: pictures, dialect: images, base_url: "http://127.0.0.1:1/v1", keys: [k] }
models:
  - id: gpt-x
    routes: [{ upstream: sandbox, model: sandbox-text }]
    price: { input: 2.00, output: 8.00, long_context: { above: 200000, input: 4.00, output: 12.00 }, tiers: { priority: 2 }, tools: { web_search: 0.01 } }
    limits: { context: 400000, max_output: 32768 }
  - { id: claude-x, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 3.00, output: 15.00 }, capabilities: [tools, reasoning] }
  - { id: gemini-x, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1.25, output: 10.00 }, capabilities: [] }
  - { id: a-vendor/with-a-very-long-name-2026-11-17-preview-instruct-fp8-dynamic, routes: [{ upstream: main }], price: { input: 0.000125, output: 1234.000001 } }
  - { id: paint-tokens, type: image, routes: [{ upstream: pictures }], price: { input: 5.00, image_input: 8.00, image_output: 30.00 } }
  - { id: premium-only, routes: [{ upstream: sandbox, model: sandbox-text }], price: { input: 1.00, output: 2.00 } }
${MANY.join('\n')}
groups:
  - { id: default, models: [gpt-x, claude-x, gemini-x, a-vendor/with-a-very-long-name-2026-11-17-preview-instruct-fp8-dynamic, paint-tokens, sandbox-text, sandbox-image, sandbox-video] }
  - { id: batch, models: [gpt-x, premium-only], multiplier: 0.8, console: true }
  - { id: reseller, models: ["*"], accounts: [reseller@example.com] }
`
const open = useConsole({ config: CONFIG })
const { visit, newAccount } = open

/** The account that the configuration names. */
async function reseller(): Promise<Account> {
  const [email, client] = ['reseller@example.com', consoleClient(open.gateway.url)]
  await open.gateway.command('account', 'create', '--email', email, '--password', PASSWORD)
  await client.post('sign-in', { email, password: PASSWORD })
  return { email, client }
}

const rows = (page: Page) => page.locator('main tbody tr')
const idsShown = (page: Page): Promise<string[]> => page.locator('main tbody .font-mono').allInnerTexts()
const rowOf = (page: Page, id: string) => rows(page).filter({ hasText: id })
const placeOf = (page: Page): string => decodeURIComponent(new URL(page.url()).search)
const shows = (page: Page, count: string) => page.getByText(count, { exact: true }).waitFor()

test('search and filters combine, live in the URL and survive the drawer, the playground and Back', async () => {
  await visit('/models', { account: await newAccount() }, async ({ page }) => {
    await shows(page, `${FEW_MODELS} models`)
    // Unknown is not shown as a no, nor as a yes.
    await rowOf(page, 'a-vendor/').getByText('Unknown').waitFor()
    await rowOf(page, 'gemini-x').getByText('Text only').waitFor()
    await rowOf(page, 'premium-only').getByText('only in batch').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('-x')
    await shows(page, '3 models')
    await page.getByText('Tools', { exact: true }).first().click()
    await shows(page, '2 models')
    expect(await idsShown(page)).toEqual(['claude-x', 'gpt-x'])
    await page.getByLabel('Highest price in USD').fill('8')
    await shows(page, '1 model')
    expect(placeOf(page)).toBe('?name=-x&capabilities=tools&max=8')
    await page.reload()
    await shows(page, '1 model')
    expect(await page.getByLabel('Search models').inputValue()).toBe('-x')

    // What keys of the usual group pay, and that others pay another price.
    const row = rowOf(page, 'gpt-x')
    await row.getByText('2.00 in · 8.00 out').waitFor()
    await row.getByText('group default, others differ').waitFor()
    await row.getByRole('button', { name: 'gpt-x OpenAI' }).click()
    const drawer = page.getByRole('dialog', { name: 'gpt-x' })
    const line = (name: string) => drawer.getByRole('row', { name }).allInnerTexts()
    expect((await line('Output'))[0]).toMatch(/8\.00\s+6\.40/)
    expect((await line('Output'))[1]).toMatch(/12\.00\s+9\.60/)
    expect((await line('priority'))[0]).toContain('× 2')
    expect((await line('web_search'))[0]).toMatch(/0\.01\s+0\.008/)
    await drawer.getByText('Input above 200,000 tokens').waitFor()
    await drawer.getByText('32,768').waitFor()
    await drawer.getByLabel('Client', { exact: true }).selectOption({ label: 'Python' })
    await drawer.getByText(`${open.gateway.url}/v1`).first().waitFor()
    expect(await drawer.locator('pre').last().innerText()).toContain('model="gpt-x"')

    await drawer.getByRole('link', { name: 'Try it' }).click()
    await page.waitForURL('**/playground?tab=text&model=gpt-x')
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('gpt-x')
    await page.goBack()
    await drawer.waitFor()
    await page.goBack()
    await drawer.waitFor({ state: 'detached' })
    await shows(page, '1 model')
    expect(placeOf(page)).toBe('?name=-x&capabilities=tools&max=8')

    await page.getByLabel('Search models').fill('nothing at all')
    await page.getByText('No model matches.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await shows(page, `${FEW_MODELS} models`)
    expect(placeOf(page)).toBe('')
  })
})

test('prices are filtered in the units of the type, and in order; an id is copied', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await page.getByRole('link', { name: 'Models' }).first().click()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    // The filters move when the list arrives: a click in that moment hits nothing.
    await shows(page, `${FEW_MODELS} models`)
    await page.getByText('Image', { exact: true }).first().click()
    await shows(page, '2 models')
    await page.getByLabel('Price unit').selectOption('image_output')
    await page.getByLabel('Highest price in USD').fill('30')
    await shows(page, '1 model')
    expect(await idsShown(page)).toEqual(['paint-tokens'])
    // Another type has other units: a price per image means nothing for it.
    await page.getByText('Text', { exact: true }).first().click()
    await shows(page, '6 models')
    await page.getByText('USD per million output tokens').waitFor()
    await page.getByLabel('Sort by').selectOption('price')
    await page.waitForURL('**/models?type=text&sort=price')
    expect((await idsShown(page)).slice(0, 3)).toEqual(['premium-only', 'sandbox-text', 'gpt-x'])
    await page.getByLabel('Vendor').selectOption('OpenAI')
    await shows(page, '1 model')
    await page.getByRole('button', { name: 'Copy gpt-x' }).click()
    await page.getByRole('button', { name: 'Copied gpt-x' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('gpt-x')
    expect(await page.getByRole('dialog').count()).toBe(0)
    // Neither filters nor a drawer that was closed are pages for Back.
    await page.getByRole('button', { name: 'gpt-x OpenAI' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.goBack()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})

test('a large catalogue has pages', async () => {
  const account = await reseller()
  // With an embedded model of each type.
  const all = 66 + MODEL_TYPES.length
  await visit('/models', { account }, async ({ page }) => {
    await shows(page, `1 to 50 of ${all} models`)
    expect(await rows(page).count()).toBe(50)
    await page.getByRole('button', { name: 'Next' }).click()
    await shows(page, `51 to ${all} of ${all} models`)
    await page.reload()
    await shows(page, `51 to ${all} of ${all} models`)
    // Another search begins at its first page.
    await page.getByLabel('Search models').fill('acme-4')
    await shows(page, '10 models')
    expect(placeOf(page)).toBe('?name=acme-4')
  })
})

test('every type can be tried, and a model of another group after that group is chosen', async () => {
  await visit('/models?model=sandbox-image', { account: await newAccount() }, async ({ page }) => {
    for (const [id, limit] of [
      ['sandbox-image', 'sides of 64 to 2,048 pixels'],
      ['sandbox-video', '1 to 12'],
    ] as const) {
      await page.goto(`${open.gateway.url}/console/models?model=${id}`)
      const drawer = page.getByRole('dialog', { name: id })
      await drawer.getByText(limit).waitFor()
      const clients = drawer.getByLabel('Client', { exact: true }).getByRole('option')
      await clients.filter({ hasText: 'Python' }).first().waitFor({ state: 'attached' })
      // Agents cannot use it.
      expect(await clients.filter({ hasText: 'Gemini CLI' }).count()).toBe(0)
      await drawer.getByRole('link', { name: 'Try it' }).click()
      await page.getByRole('heading', { name: 'Playground' }).waitFor()
      expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe(id)
    }
    await page.goto(`${open.gateway.url}/console/models?model=premium-only`)
    await page.getByRole('link', { name: 'Try it' }).click()
    await page.getByText('The group default of the built-in key does not offer premium-only.').waitFor()
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).not.toBe('premium-only')
    await page.getByRole('button', { name: 'Use the group batch' }).click()
    await page.getByText('does not offer').waitFor({ state: 'detached' })
    expect(await page.getByLabel('Model', { exact: true }).inputValue()).toBe('premium-only')
  })
})

test('a link to a model that is not offered says so', async () => {
  await visit('/models?model=gone', { account: await newAccount() }, async ({ page }) => {
    const drawer = page.getByRole('dialog', { name: 'gone' })
    await drawer.getByText('No model gone is available to you.').waitFor()
    await drawer.getByRole('button', { name: 'Close' }).click()
    await page.waitForURL('**/console/models')
  })
})

test('while it loads, without models, and after an error', async () => {
  await visit('/keys', { account: await newAccount() }, async ({ page }) => {
    const body = { error: { message: 'It is broken.', type: 'x', param: null, code: 'x' } }
    let answer: () => Promise<{ status: number; json: unknown }> = () => new Promise(() => {})
    await page.route('**/console/api/models', async (route) => route.fulfill(await answer()))
    await page.goto(`${open.gateway.url}/console/models`)
    await page.locator('table[aria-busy=true] .skeleton').first().waitFor()
    answer = async () => ({ status: 400, json: body })
    await page.reload()
    await page.getByText('It is broken.').waitFor()
    answer = async () => ({ status: 200, json: [] })
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('No model is available to you.').waitFor()
  })
})

test.each(
  LANGUAGES,
)('$locale, dark: $dark: the page and its drawer are accessible and fit the screen', async (view) => {
  await visit('/models', { ...view, account: await newAccount() }, async ({ page }) => {
    const look = (name: string) => expectWellShown(page, `${name}-${view.locale}`, inTheme(view.dark))
    await rowOf(page, 'gpt-x').waitFor()
    await look('models')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.locator('main button[aria-expanded]:not([aria-haspopup])').click()
    await page.locator('fieldset').nth(1).locator('label').first().click()
    await page.waitForURL('**/models?capabilities=images')
    await look('models-filters')
    await page.locator('main button[aria-expanded]:not([aria-haspopup])').click()
    await rowOf(page, 'gpt-x').getByRole('button').first().click()
    await page.locator('dialog pre').first().waitFor()
    await look('models-drawer')
  })
})
