// The operators' pages of requests and tasks in a real browser.
import { expect, test } from 'bun:test'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, OPPOSITES } from '../../test/support/console/page.ts'
import {
  sendImage,
  sendText,
  sendUnpriced,
  THIRD_GROUP,
  VARIED_MODELS,
  VARIED_UPSTREAMS,
} from '../../test/support/console/varied-requests.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat } from '../../test/support/gateway/gateway.ts'
import { useOperators } from '../../test/support/operators.ts'
import { videoBody, videoClient } from '../../test/support/requests/videos.ts'

const CONFIG = `
sandbox: { faults: true }
upstreams: ${VARIED_UPSTREAMS}
models:${VARIED_MODELS}
  - { id: costly, routes: [{ upstream: demo, model: sandbox-text, cost: { input: 3, output: 9 } }], price: { input: 2, output: 8 } }
  - { id: stuck, type: video, routes: [{ upstream: spare, model: "sandbox-video:never-ends" }], price: { per_second: 0.05 }, limits: { seconds: [1, 12] } }
  - { id: waiting, type: video, routes: [{ upstream: spare, model: "sandbox-video:never-starts" }], price: { per_second: 0.05 }, limits: { seconds: [1, 12] } }
groups:
  - { id: default, models: ["*"] }
  - ${THIRD_GROUP}
`

const open = useOperators({ config: CONFIG })
const { visit, as } = open

/** Traffic of two accounts: ten requests of the first, of which one failed, and one with a loss of the second; one was rejected. */
let sent: Promise<{ failed: string; lossy: string; email: string }> | undefined
function traffic() {
  sent ??= (async () => {
    const { url } = open.gateway
    const [one, two] = await Promise.all([newKey(open.gateway), newKey(open.gateway)])
    for (let index = 0; index < 7; index++) await sendText(url, one.secret, index)
    const [failed = ''] = await sendUnpriced(url, one.secret)
    await sendImage(url, one.secret)
    const messages = [{ role: 'user', content: 'Hello' }]
    const { headers } = await chat(url, two.secret, { model: 'costly', messages })
    await chat(url, two.secret, { model: 'no-such-model', messages })
    return { failed, lossy: headers.get('x-request-id') ?? '', email: two.email }
  })()
  return sent
}

const rows = (page: Page) => page.locator('main table[role=table]').last().locator('tbody tr')
const untilRows = (page: Page, count: number) => eventually(async () => (await rows(page).count()) === count)
const drawer = (page: Page) => page.getByRole('dialog')

test('requests of all accounts, narrowed down by filters that live in the URL', async () => {
  const { email } = await traffic()
  await visit('/operate/requests', { account: await as('viewer') }, async ({ page }) => {
    await untilRows(page, 11)
    expect(await page.getByRole('columnheader', { name: 'Upstream cost' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Outcome' }).click()
    await page.getByRole('combobox', { name: 'Outcome' }).selectOption('errors')
    await untilRows(page, 1)
    await rows(page).getByText('400 bad_request').waitFor()
    expect(new URL(page.url()).searchParams.get('outcome')).toBe('errors')
    await page.getByRole('button', { name: 'Remove the filter Outcome' }).click()
    await untilRows(page, 11)
    await page.getByRole('button', { name: 'Filter', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Account' }).click()
    // The box has the focus: what is typed at once arrives there.
    await eventually(() => page.getByRole('combobox', { name: 'Account' }).evaluate((box) => box.matches(':focus')))
    await page.keyboard.type(email)
    await page.getByRole('option', { name: email }).click()
    await untilRows(page, 1)
    // A bar leads to its rows.
    await page.getByRole('img', { name: 'Requests by outcome over time' }).focus()
    await page.keyboard.press('Enter')
    await page.getByTitle('Show the whole period again').waitFor()
    await untilRows(page, 1)
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('img', { name: 'Requests by outcome over time' }).focus()
    await page.keyboard.press('Enter')
    await page.getByText('No request matches these filters.').waitFor()
  })
})

test('a request says what was charged, what it cost and what the client got, and is refunded with a reason', async () => {
  const { lossy, failed } = await traffic()
  await visit(`/operate/requests?request=${lossy}`, { account: await as('finance') }, async ({ page }) => {
    const margin = drawer(page).getByText('Margin', { exact: true }).locator('xpath=..')
    await margin.getByText('−').waitFor()
    await drawer(page).getByRole('button', { name: 'Explain the current route' }).click()
    await drawer(page)
      .getByText(/100\s?%/)
      .waitFor()
    await expectWellShown(page, 'operate-request', inTheme(false))
    await page.setViewportSize({ width: 1280, height: 900 })
    await drawer(page).getByRole('button', { name: 'Refund…' }).click()
    const question = page.getByRole('dialog', { name: /^Refund .* USD to/ })
    await question.getByText('USD is credited.').waitFor()
    await question.getByRole('textbox', { name: /Reason/ }).fill('The answer was wrong.')
    await question.getByRole('button', { name: 'Refund', exact: true }).click()
    await drawer(page).getByText('The whole charge has been refunded.').waitFor()
    await drawer(page).getByText('Refunded', { exact: true }).waitFor()
  })
  await visit(`/operate/requests?request=${failed}`, { account: await as('support') }, async ({ page }) => {
    await drawer(page).getByText('Response to the client').waitFor()
    await drawer(page).getByText('bad_request').waitFor()
    expect(await drawer(page).getByText('Margin').count()).toBe(0)
  })
  await visit(`/operate/requests?request=${lossy}`, { account: await as('support') }, async ({ page }) => {
    await drawer(page).getByText('The whole charge has been refunded.').waitFor()
  })
})

test('an operator chooses columns, which the browser keeps', async () => {
  await traffic()
  await visit('/operate/requests', { account: await as('finance') }, async ({ page }) => {
    await rows(page).first().waitFor()
    const columns = () => page.locator('main table[role=table]').last().getByRole('columnheader').allInnerTexts()
    const first = ['Time', 'Account', 'Model', 'Upstream', 'Cost, USD', 'Duration', 'Outcome']
    expect(await columns()).toEqual(first)
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('menuitem', { name: 'Upstream cost' }).click()
    await page.reload()
    await rows(page).first().waitFor()
    expect(await columns()).toEqual(first.toSpliced(5, 0, 'Upstream cost, USD'))
    // A narrower table leaves out what matters least, but nothing that was chosen.
    await page.setViewportSize({ width: 1024, height: 900 })
    await page.getByRole('columnheader', { name: 'Duration' }).waitFor({ state: 'detached' })
    expect(await columns()).toEqual(['Time', 'Account', 'Model', 'Cost, USD', 'Upstream cost, USD', 'Outcome'])
    // On a phone, a row is two lines, and a third for the longest outcome.
    await page.setViewportSize({ width: 360, height: 740 })
    const tallest = async () => {
      const boxes = await Promise.all((await rows(page).all()).map((row) => row.boundingBox()))
      return Math.max(...boxes.map((box) => box?.height ?? 0))
    }
    await eventually(async () => (await tallest()) < 90)
  })
})

test('requests that were rejected before a hold have a list of their own', async () => {
  await traffic()
  await visit('/operate/requests', { account: await as('viewer') }, async ({ page }) => {
    await page.getByText('Rejected', { exact: true }).click()
    await rows(page).getByText('404 model_not_found').waitFor()
    await expectWellShown(page, 'operate-rejected', inTheme(false))
  })
})

/** Resolves when a page that shows nothing has seen a request of which only polling could tell it. */
async function seesNewRequests(): Promise<void> {
  const { url } = open.gateway
  const { secret, email } = await newKey(open.gateway)
  await visit(`/operate/requests?model=free&account=${email}`, { account: await as('viewer') }, async ({ page }) => {
    await page.getByText('No request matches these filters.').waitFor()
    await sendUnpriced(url, secret)
    await untilRows(page, 1)
  })
}

test('the page is well shown in both languages, and new requests appear by themselves', async () => {
  await traffic()
  const seen = seesNewRequests()
  await visit('/operate/requests', { account: await as('owner') }, async ({ page }) => {
    await page.getByText('costly').waitFor()
    await expectWellShown(page, 'operate-requests', OPPOSITES)
  })
  await seen
  await visit('/operate/requests', { account: await as('owner'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: '请求' }).waitFor()
    await expectWellShown(page, 'operate-requests-zh', inTheme(false))
  })
})

test('tasks show their age and are asked for, cancelled and released by those who may', async () => {
  const { secret } = await newKey(open.gateway)
  const { submit } = videoClient(open.gateway, secret)
  const [stuck, waiting] = [await submit(videoBody('stuck')), await submit(videoBody('waiting'))]
  await visit('/operate/tasks', { account: await as('support') }, async ({ page }) => {
    await untilRows(page, 2)
    await expectWellShown(page, 'operate-tasks', inTheme(false))
    await page.setViewportSize({ width: 1280, height: 900 })
    await rows(page).filter({ hasText: 'waiting' }).getByRole('button').first().click()
    const release = drawer(page).getByRole('button', { name: /Release the hold/ })
    expect([await release.isDisabled(), await release.innerText()]).toEqual([
      true,
      expect.stringContaining('Needs finance'),
    ])
    await drawer(page).getByRole('button', { name: 'Cancel…' }).click()
    await page.getByRole('button', { name: 'Cancel the task' }).click()
    await drawer(page).getByText('Cancelled').waitFor()
    expect(new URL(page.url()).searchParams.get('task')).toBe(waiting)
  })
  await visit(`/operate/tasks?task=${stuck}`, { account: await as('finance'), locale: 'zh-CN' }, async ({ page }) => {
    await drawer(page).getByRole('button', { name: '释放冻结金额…' }).waitFor()
    await expectWellShown(page, 'operate-task-zh', inTheme(true))
  })
  await visit(`/operate/tasks?task=${stuck}`, { account: await as('finance') }, async ({ page }) => {
    await drawer(page).getByRole('button', { name: 'Release the hold…' }).click()
    await page.getByRole('textbox', { name: /Reason/ }).fill('The upstream lost it.')
    await page.getByRole('button', { name: 'End the task' }).click()
    await drawer(page).getByText('Expired', { exact: true }).waitFor()
  })
})
