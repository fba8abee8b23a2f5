// Models and groups of the operators' console: prices with their margin and their effect, routes, and what each group pays.
import { beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient, adminOutcome } from '../../test/support/admin/admin-client.ts'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, OPPOSITES } from '../../test/support/console/page.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators({
  config: `
upstreams: [{ id: near, kind: sandbox }, { id: far, kind: sandbox }]
models:
  - { id: from-file, routes: [{ upstream: near, model: sandbox-text }], price: { input: 1, output: 4 } }
groups:
  - { id: default, models: ["*"] }
`,
})
const { visit, as } = open

const COST = { input: '1.60', output: '6.40' }
const STORED = [
  ['models', { id: 'bare', routes: [{ upstream: 'near', model: 'sandbox-text' }] }],
  [
    'models',
    {
      id: 'large-text',
      routes: [
        { upstream: 'near', model: 'sandbox-text', weight: 3, cost: COST },
        { upstream: 'far', model: 'sandbox-text', cost: COST },
        { upstream: 'far', model: 'sandbox-text', priority: 2 },
      ],
      price: { input: '2.00', output: '8.00', tiers: { priority: '2' } },
    },
  ],
  [
    'models',
    {
      id: 'pictures',
      type: 'image',
      routes: [{ upstream: 'near', model: 'sandbox-image' }],
      price: { per_image: '0.04' },
    },
  ],
  ['groups', { id: 'staff', models: ['*'], multiplier: '0.5', prices: { pictures: { per_image: '0.03' } } }],
] as const

let admin: AdminClient
beforeAll(async () => {
  const { secret } = await operate<{ secret: string }>(open.gateway, 'admin-key create', { name: 'a', role: 'owner' })
  admin = adminClient(open.gateway.url, secret)
  for (const [path, body] of STORED) expect(adminOutcome(await admin('POST', path, { body }))).toBe('201')
  for (const group of ['default', 'staff']) {
    const { body: account } = await admin('POST', 'accounts', { body: { name: `in ${group}`, credit_usd: '5' } })
    const { body: key } = await admin('POST', 'keys', { body: { account: account.id, name: group, group } })
    const answer = await fetch(`${open.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'large-text', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect([await answer.text(), answer.status]).toEqual([expect.any(String), 200])
  }
})

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const dialog = (page: Page, title: string) => page.getByRole('dialog', { name: title })
const priceOf = async (model: string) => (await admin('GET', `models/${model}`)).body.price

test('models that nobody can call come first; filters are in the URL; those of the file are locked with their place', async () => {
  await visit('/operate/models', { account: await as('finance') }, async ({ page }) => {
    await row(page, 'large-text').getByText('20.0%').waitFor()
    expect(await page.getByRole('row').nth(1).innerText()).toContain('bare')
    await row(page, 'bare').getByText('No price').first().waitFor()
    await row(page, 'from-file').getByText('Edit in trivium.yaml:4').waitFor({ state: 'attached' })
    expect(
      await row(page, 'from-file')
        .getByRole('button', { name: /Edit the price/ })
        .count(),
    ).toBe(0)
    await expectWellShown(page, 'operate-models', OPPOSITES)
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('menuitem', { name: 'Problem' }).click()
    await page.getByRole('combobox', { name: 'Problem' }).selectOption('no_price')
    await page.waitForURL(/problem=no_price/)
    await row(page, 'large-text').waitFor({ state: 'detached' })
  })
})

test('finance edits a price in its row: the margin follows what is typed, the effect is shown before, and it can be undone', async () => {
  await visit('/operate/models', { account: await as('finance') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Edit the price of large-text' }).click()
    const output = page.getByRole('textbox', { name: 'Output of large-text' })
    await output.fill('6.00')
    await page.getByRole('status', { name: 'Margin' }).getByText('−6.7%').waitFor()
    await output.fill('16.00')
    await page.getByRole('status', { name: 'Margin' }).getByText('20.0%').waitFor()
    await page.keyboard.press('Enter')
    const asked = dialog(page, 'Change the price of large-text?')
    await asked.getByText('Of 2 accounts, 2 would have paid more and 0 less.').waitFor()
    await asked.getByText('8.00').first().waitFor()
    await expectWellShown(page, 'operate-models-price', inTheme(false))
    await asked.getByRole('button', { name: 'Change the price' }).click()
    await row(page, 'large-text').getByText('2.00 / 16.00').waitFor()
    expect(await priceOf('large-text')).toMatchObject({ output: '16.00', tiers: { priority: '2' } })
    await page.getByRole('button', { name: 'Undo' }).click()
    await dialog(page, 'Restore the previous price of large-text?').getByRole('button', { name: 'Restore' }).click()
    await row(page, 'large-text').getByText('2.00 / 8.00').waitFor()
    expect(await priceOf('large-text')).toEqual({ input: '2.00', output: '8.00', tiers: { priority: '2' } })
  })
})

test('a price without requests shows what each group pays instead', async () => {
  await visit('/operate/models', { account: await as('finance') }, async ({ page }) => {
    await row(page, 'pictures').getByText('per image').waitFor()
    await page.getByRole('button', { name: 'Edit the price of pictures' }).click()
    await page.getByRole('textbox', { name: 'Per image of pictures' }).fill('0.05')
    await page.keyboard.press('Enter')
    const asked = dialog(page, 'Change the price of pictures?')
    await asked.getByText('There were no requests in the last 7 days.').waitFor()
    // The group staff has a price of its own.
    await asked.getByRole('listitem').filter({ hasText: 'pictures default' }).getByText('0.05').waitFor()
    expect(await asked.getByRole('listitem').filter({ hasText: 'pictures' }).allInnerTexts()).not.toContainEqual(
      expect.stringContaining('staff'),
    )
  })
})

test('an address of what does not exist says so', async () => {
  for (const [path, text] of [
    ['models?model=gone', 'This model no longer exists.'],
    ['groups?group=gone', 'This group no longer exists.'],
  ] as const)
    await visit(`/operate/${path}`, { account: await as('viewer') }, async ({ page }) => {
      await dialog(page, 'gone').getByText(text).waitFor()
    })
})

test('a model has an address, with lanes of routes, a preview of routes, and its history', async () => {
  await visit('/operate/models?model=large-text', { account: await as('viewer') }, async ({ page }) => {
    const drawer = dialog(page, 'large-text')
    await drawer.getByRole('region', { name: 'Priority 1' }).getByText('75%').waitFor()
    await drawer.getByRole('region', { name: 'Priority 2' }).getByText('100%').waitFor()
    await drawer.getByRole('combobox', { name: 'Protocol' }).selectOption('messages')
    await drawer.getByText('75% of requests').waitFor()
    await drawer.getByText('Created').waitFor()
    // Costs are absent for this role, and acts are shown with the role that they need.
    expect(await drawer.getByText(/Margin|Cost/).count()).toBe(0)
    expect(await drawer.getByRole('button', { name: /Edit Needs finance/ }).isDisabled()).toBe(true)
    await expectWellShown(page, 'operate-model', inTheme(false))
  })
})

test('an admin adds a model, is told of a mistake beside its field, changes it and deletes it', async () => {
  await visit('/operate/models', { account: await as('admin') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Add a model' }).click()
    const form = dialog(page, 'Add a model')
    await form.getByRole('textbox', { name: 'Model ID' }).fill('fresh')
    await form.getByRole('textbox', { name: 'Input of fresh' }).fill('3')
    await form.getByRole('textbox', { name: 'Output of fresh' }).fill('nine')
    await form.getByRole('textbox', { name: 'Model at the upstream' }).fill('sandbox-text')
    await form.getByRole('textbox', { name: 'Cost: Input' }).fill('1.5')
    await form.getByText('50.0%').waitFor()
    await form.getByRole('button', { name: 'Review' }).click()
    await form.getByRole('alert').getByText(/nine/).waitFor()
    await form.getByRole('textbox', { name: 'Output of fresh' }).fill('9')
    await form.getByRole('textbox', { name: 'Cost: Output' }).fill('4.5')
    await expectWellShown(page, 'operate-model-form', inTheme(false))
    await form.getByRole('button', { name: 'Review' }).click()
    await dialog(page, 'Add the model fresh?').getByRole('button', { name: 'Add', exact: true }).click()
    await row(page, 'fresh').getByText('3.00 / 9.00').waitFor()
    await row(page, 'fresh').getByRole('button', { name: 'fresh', exact: true }).click()
    await dialog(page, 'fresh').getByRole('button', { name: 'Delete' }).click()
    const asked = dialog(page, 'Delete the model fresh?')
    await asked.getByText('1 model can no longer be called.').waitFor()
    await asked.getByRole('button', { name: 'Delete' }).click()
    await row(page, 'fresh').waitFor({ state: 'detached' })
  })
})

test('two people edit a model: the second is told, compares and decides', async () => {
  await visit('/operate/models?model=large-text', { account: await as('admin') }, async ({ page }) => {
    await dialog(page, 'large-text').getByRole('button', { name: 'Edit' }).click()
    const form = dialog(page, 'Edit large-text')
    await form.getByRole('textbox', { name: 'Input of large-text' }).fill('2.50')
    await form.getByRole('button', { name: 'Review' }).click()
    const asked = dialog(page, 'Change the model large-text?')
    await asked.getByRole('button', { name: 'Save', exact: true }).waitFor()
    expect(adminOutcome(await admin('PATCH', 'models/large-text', { body: { price: { output: '9.00' } } }))).toBe('200')
    await asked.getByRole('button', { name: 'Save', exact: true }).click()
    await asked.getByText(/Someone else has changed this/).waitFor()
    await asked.getByRole('button', { name: 'Save anyway' }).click()
    await row(page, 'large-text').getByText('2.50 / 9.00').waitFor({ state: 'attached' })
    expect(await priceOf('large-text')).toMatchObject({ input: '2.50', output: '9.00', tiers: { priority: '2' } })
    await admin('PATCH', 'models/large-text', { body: { price: { input: '2.00', output: '8.00' } } })
  })
})

test('the matrix has the price of each group; another multiplier says who would pay more', async () => {
  await visit('/operate/groups', { account: await as('finance') }, async ({ page }) => {
    const cells = row(page, 'large-text').getByRole('cell')
    await cells.filter({ hasText: '1.00 / 4.00' }).waitFor()
    await row(page, 'pictures').getByText('own price').waitFor()
    await expectWellShown(page, 'operate-groups', OPPOSITES)
    await page.getByRole('button', { name: 'staff' }).click()
    const form = dialog(page, 'Group staff')
    await form.getByText('The rest needs the role admin.').waitFor()
    await form.getByRole('textbox', { name: 'Multiplier' }).fill('0.75')
    await expectWellShown(page, 'operate-group', inTheme(false))
    await form.getByRole('button', { name: 'Review' }).click()
    const asked = dialog(page, 'Change the group staff?')
    await asked.getByText('Of 1 account, 1 would have paid more and 0 less.').waitFor()
    await asked.getByText('1 key is in this group.').waitFor()
    await asked.getByRole('button', { name: 'Save' }).click()
    await cells.filter({ hasText: '1.50 / 6.00' }).waitFor()
  })
})

test('both pages are complete in Chinese', async () => {
  const account = await as('owner')
  for (const [path, title, text] of [
    ['models?model=large-text', '模型', '当前路由预览'],
    ['groups?group=staff', '分组', '自定售价'],
  ] as const)
    await visit(`/operate/${path}`, { account, locale: 'zh-CN', dark: true }, async ({ page }) => {
      await page.getByRole('heading', { level: 1, name: title, includeHidden: true }).waitFor({ state: 'attached' })
      await page.getByRole('dialog').getByText(text).first().waitFor()
      await expectWellShown(page, `operate-${path.split('?')[0]}-zh`, inTheme(true))
    })
})
