// Tags, end users and sessions in a real browser: on the pages of account holders and of operators, in both languages.
import { expect, test } from 'bun:test'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, OPPOSITES } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { consoleClient, PASSWORD } from '../../test/support/gateway/console.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators({ config: 'sandbox: true\n' })
const { visit, as } = open

const EMAIL = 'grace@example.com'
const MEMBER = 'linus@example.com'

async function signedIn(email: string) {
  const client = consoleClient(open.gateway.url)
  await client.post('sign-in', { email, password: PASSWORD })
  return { email, client }
}

/** Four requests, the third of them with the key of a member. */
let used: Promise<{ account: string }> | undefined
function traffic() {
  used ??= (async () => {
    const { url } = open.gateway
    const create = (email: string) =>
      operate<{ id: string }>(open.gateway, 'account create', { email, password: PASSWORD, credit_usd: '10' })
    const { id: account } = await create(EMAIL)
    await create(MEMBER)
    await operate(open.gateway, 'account member', { account, email: MEMBER, role: 'member' })
    const [owner, member] = [await signedIn(EMAIL), await signedIn(MEMBER)]
    await member.client.post('session/account', { account })
    const key = async ({ client }: typeof owner) =>
      (await client.post<{ secret: string }>('keys', { name: 'laptop' })).body.secret
    const [own, theirs] = [await key(owner), await key(member)]
    const send = async (secret: string, headers: Record<string, string>) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await response.json()
    }
    await send(own, { 'x-trivium-tags': 'team=search,env=prod', 'x-trivium-user': 'u1', 'x-trivium-session': 'chat-1' })
    await send(own, { 'x-trivium-tags': 'team=mail,env=test', 'x-trivium-user': 'u1' })
    await send(theirs, { 'x-trivium-tags': 'team=search', 'x-trivium-user': 'u2', 'x-trivium-session': 'chat-1' })
    await send(own, {})
    return { account }
  })()
  return used
}

const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true })
const rows = (page: Page, name: string) => table(page, name).locator('tbody tr')
const untilRows = (page: Page, name: string, count: number) =>
  eventually(async () => (await rows(page, name).count()) === count)

test('an account holder groups by tag and end user, and follows a receipt to what belongs together', async () => {
  await traffic()
  await visit('/usage', { account: await signedIn(EMAIL) }, async ({ page }) => {
    await untilRows(page, 'Requests', 4)
    await page.getByRole('radio', { name: 'Tag' }).check({ force: true })
    await untilRows(page, 'By tag', 4)
    await page.getByText('A request counts for each of its tags').waitFor()
    const name = page.getByRole('textbox', { name: 'Tag name' })
    await name.fill('team')
    await name.press('Enter')
    await untilRows(page, 'By tag', 2)
    await expectWellShown(page, 'usage by tag', OPPOSITES)
    await rows(page, 'By tag').getByText('team=search').click()
    await untilRows(page, 'Requests', 2)
    expect(await page.getByRole('textbox', { name: 'Tag', exact: true }).inputValue()).toBe('team=search')
    // By end user, which sums are not kept by together with a tag.
    await page.getByRole('radio', { name: 'End user' }).check({ force: true })
    await untilRows(page, 'By end user', 2)
    await untilRows(page, 'Requests', 4)
    await rows(page, 'Requests').last().click()
    const drawer = page.getByRole('dialog', { name: 'Receipt' })
    await drawer.getByRole('link', { name: 'env=prod' }).waitFor()
    await expectWellShown(page, 'receipt with tags', OPPOSITES)
    await drawer.getByRole('link', { name: 'chat-1' }).click()
    await page.getByRole('heading', { name: 'Session chat-1' }).waitFor()
    await untilRows(page, 'Requests', 2)
    await expectWellShown(page, 'usage of a session', OPPOSITES)
  })
})

test('a member sees what the own keys spent', async () => {
  const { account } = await traffic()
  const member = await signedIn(MEMBER)
  await member.client.post('session/account', { account })
  await visit('/usage?by=tag', { account: member }, async ({ page }) => {
    await untilRows(page, 'By tag', 1)
    await rows(page, 'By tag').getByText('team=search').waitFor()
    await untilRows(page, 'Requests', 1)
  })
})

test('operators group, filter and follow links by tag, end user, week and month', async () => {
  const { account } = await traffic()
  await visit('/operate/usage?by=tag', { account: await as('owner') }, async ({ page }) => {
    await untilRows(page, 'By group', 4)
    await page.getByRole('combobox', { name: 'Then by' }).selectOption('month')
    await untilRows(page, 'By group', 4)
    await expectWellShown(page, 'operators usage by tag', OPPOSITES)
    await rows(page, 'By group').getByText('team=mail').click()
    await page.waitForURL(/\/operate\/requests\?.*tag=team%3Dmail/)
    await untilRows(page, 'Requests', 1)
  })
  await visit(
    `/operate/requests?account=${account}&session=chat-1`,
    { account: await as('viewer') },
    async ({ page }) => {
      await page.getByRole('heading', { name: 'Session chat-1' }).waitFor()
      await untilRows(page, 'Requests', 2)
      await rows(page, 'Requests').last().click()
      const drawer = page.getByRole('dialog', { name: 'Request' })
      await drawer.getByRole('link', { name: 'team=search' }).waitFor()
      await expectWellShown(page, 'operators request with tags', OPPOSITES)
    },
  )
})

test('the pages are shown in Chinese', async () => {
  await traffic()
  await visit('/usage?by=tag', { account: await signedIn(EMAIL), locale: 'zh-CN' }, async ({ page }) => {
    await untilRows(page, '按标签', 4)
    await page.getByText('一个请求计入它的每个标签').waitFor()
    await expectWellShown(page, 'usage by tag in Chinese', OPPOSITES)
  })
  await visit('/operate/usage?by=end_user', { account: await as('owner'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByText('按标签和最终用户的合计以整天').waitFor()
    await expectWellShown(page, 'operators usage by end user in Chinese', OPPOSITES)
  })
})
