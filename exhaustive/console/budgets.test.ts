// Budgets of an account in a real browser: made, seen, changed and deleted by its owner, and seen by a member.
import { expect, test } from 'bun:test'
import { choose } from '../../test/support/console/choose.ts'
import { expectWellShown, LANGUAGES, OPPOSITES } from '../../test/support/console/page.ts'
import { chat } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators()
const { visit, newAccount } = open

type Budget = Record<string, unknown> & { id: string }

test('an owner makes a budget, sees what is spent of it, changes and deletes it', async () => {
  const owner = await newAccount()
  const { key, secret } = (
    await owner.client.post<{ key: { id: string }; secret: string }>('keys', { name: 'nightly' })
  ).body
  const budgets = async () => (await owner.client.get<{ items: Budget[] }>('budgets')).body.items
  await visit('/budgets', { account: owner }, async ({ page }) => {
    await page.getByText('No budgets').waitFor()
    await expectWellShown(page, 'budgets-none', OPPOSITES)
    await page.getByRole('button', { name: 'Create budget' }).first().click()
    const form = page.getByRole('dialog')
    await form.getByLabel('What it limits').selectOption('key')
    await form.getByLabel('Begins anew').selectOption('hours')
    await form.getByLabel('Amount (USD)').fill('0')
    await form.getByLabel('Hours', { exact: true }).fill('9000')
    await form.getByLabel('Notice at percent').fill('50, 180')
    await form.getByRole('button', { name: 'Create budget' }).click()
    for (const mistake of [
      'Choose a key.',
      'Enter an amount above zero',
      'Enter a whole number of hours',
      'Enter at most 10',
    ])
      await form.getByRole('alert').filter({ hasText: mistake }).waitFor()
    await expectWellShown(page, 'budget-mistakes', OPPOSITES)
    await choose(form, 'Key', 'nightly')
    await form.getByLabel('Amount (USD)').fill('0.01')
    await form.getByLabel('Hours', { exact: true }).fill('5')
    await form.getByLabel('Counted from').fill('2026-03-01T09:30')
    await form.getByLabel('Notice at percent').fill('100 %, 50')
    await form.getByLabel('Text in the error').fill('Ask Ada.')
    await expectWellShown(page, 'budget-form', OPPOSITES)
    await form.getByRole('button', { name: 'Create budget' }).click()
    await page.getByText('The budget was created.').waitFor()
    await page.getByRole('button', { name: 'Key nightly' }).waitFor()
  })
  expect(await budgets()).toMatchObject([
    {
      kind: 'key',
      key_id: key.id,
      amount_usd: '0.01',
      period: 'hours',
      every_hours: 5,
      // Berlin.
      starts_at: '2026-03-01T08:30:00.000Z',
      hard: true,
      alerts: [50, 100],
      text: 'Ask Ada.',
    },
  ])
  const messages = [{ role: 'user', content: 'Hello' }]
  expect((await chat(open.gateway.url, secret, { model: 'sandbox-text', messages })).status).toBe(200)
  const spent = (await budgets())[0]?.spent_usd
  expect(Number(spent)).toBeGreaterThan(0)

  await visit('/budgets', { account: owner }, async ({ page }) => {
    await page.getByRole('button', { name: 'Key nightly' }).click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText('every 5 hours').or(drawer.getByText('per 5 hours').first()).first().waitFor()
    await drawer.getByRole('img', { name: /of 0.01 USD spent/ }).waitFor()
    await expectWellShown(page, 'budget', OPPOSITES)
    await drawer.getByRole('button', { name: 'Edit' }).click()
    const form = page.getByRole('dialog', { name: 'Edit the budget: Key nightly' })
    expect(await form.getByLabel('Counted from').inputValue()).toBe('2026-03-01T09:30')
    await form.getByLabel('Amount (USD)').fill('2')
    await form.getByLabel('Begins anew').selectOption('day')
    await form.getByLabel('Reject requests once it is reached').uncheck()
    await form.getByLabel('Text in the error').fill('')
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The budget was changed.').waitFor()
    await page.getByText('Only warns').waitFor()
  })
  expect(await budgets()).toMatchObject([
    { amount_usd: '2.00', period: 'day', every_hours: null, starts_at: null, hard: false, alerts: [50, 100], text: '' },
  ])
  await visit('/budgets', { account: owner }, async ({ page }) => {
    await page.getByRole('button', { name: 'Key nightly' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('dialog', { name: 'Delete the budget: Key nightly?' })
    await expectWellShown(page, 'budget-delete', OPPOSITES)
    await question.getByRole('button', { name: 'Delete budget' }).click()
    await page.getByText('The budget was deleted.').waitFor()
    await page.getByText('No budgets').waitFor()
  })
})

test.each([
  ['member', { person: 'their address' }],
  ['tag', { value: 'team=search' }],
  ['end_user', { value: 'grace' }],
  ['key_model', { model: 'sandbox-text' }],
  ['account', {}],
])('a budget of the kind %s is entered', async (kind, given: { person?: string; value?: string; model?: string }) => {
  const owner = await newAccount()
  await owner.client.post('keys', { name: 'nightly' })
  await visit('/budgets', { account: owner }, async ({ page }) => {
    await page.getByRole('button', { name: 'Create budget' }).first().click()
    const form = page.getByRole('dialog')
    await form.getByLabel('What it limits').selectOption(kind)
    if (given.person) await form.getByLabel('Member').selectOption(owner.email)
    if (given.value) await form.getByLabel(kind === 'tag' ? 'Tag' : 'End user').fill(given.value)
    if (given.model) {
      await choose(form, 'Key', 'nightly')
      await choose(form, 'Model', given.model)
    }
    await form.getByLabel('Amount (USD)').fill('12.5')
    await form.getByRole('button', { name: 'Create budget' }).click()
    await page.getByText('The budget was created.').waitFor()
  })
  const [made] = (await owner.client.get<{ items: Budget[] }>('budgets')).body.items
  expect(made).toMatchObject({
    kind,
    amount_usd: '12.50',
    period: 'month',
    alerts: [80, 100],
    model: given.model ?? null,
  })
})

test.each(LANGUAGES)("the operator's budgets and caps are seen, and not changed: %o", async (view) => {
  const isEnglish = view.locale === 'en-GB'
  const [owner, member] = [await newAccount(), await newAccount()]
  const { accounts } = (await owner.client.get<{ accounts: { id: string }[] }>('session')).body
  const account = accounts[0]?.id ?? ''
  await operate(open.gateway, 'account member', { account, email: member.email, role: 'member', cap: '7' })
  await operate(open.gateway, 'account limit', { account, cap: '123456.123456789', 'cap-period': 'month' })
  await operate(open.gateway, 'budget create', {
    kind: 'account',
    account,
    amount: '50',
    period: 'week',
    text: '请联系 Ada。',
  })
  await operate(open.gateway, 'budget create', { kind: 'tag', account, value: 'team=search', amount: '3' })
  await owner.client.post('budgets', { kind: 'member', person: member.email, amount_usd: '5', hard: false })
  await member.client.post('session/account', { account })
  const whole = isEnglish ? 'Whole account' : '整个账户'
  await visit('/budgets', { account: owner, ...view }, async ({ page }) => {
    const rows = page.getByRole('row')
    await rows.filter({ hasText: whole }).first().waitFor()
    expect(await rows.count()).toBe(6)
    await expectWellShown(page, `budgets-${view.locale}`, OPPOSITES)
    await page.getByRole('button', { name: whole }).first().click()
    const drawer = page.getByRole('dialog')
    await drawer.getByText(isEnglish ? 'The operator has set this budget.' : '此预算由运营人员设置。').waitFor()
    expect(await drawer.getByRole('button', { name: isEnglish ? 'Edit' : '编辑' }).count()).toBe(0)
    await expectWellShown(page, `budget-of-operator-${view.locale}`, OPPOSITES)
  })
  await visit('/budgets', { account: member, ...view }, async ({ page }) => {
    const rows = page.getByRole('row')
    // While the list is read, there are rows without text.
    await rows.filter({ hasText: whole }).first().waitFor()
    // Not the tag, which no key of theirs has.
    expect(await rows.count()).toBe(5)
    expect(await page.getByRole('button', { name: isEnglish ? 'Create budget' : '创建预算' }).count()).toBe(0)
    await expectWellShown(page, `budgets-of-member-${view.locale}`, OPPOSITES)
  })
})
