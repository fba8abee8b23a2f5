// The first hour of a gateway, from the printed link to the answer of a real upstream, and the pages of upstreams.
import { afterAll, expect, test } from 'bun:test'
import { signerOf } from '../../packages/gateway/test-support/clouds/signature.ts'
import { adminClient } from '../../test/support/admin/admin-client.ts'
import type { Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, OPPOSITES, openConsole } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { newKey } from '../../test/support/gateway/accounts.ts'
import { chat, startGateway } from '../../test/support/gateway/gateway.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import { useOperators } from '../../test/support/operators.ts'
import { startStubVendor } from '../../test/support/upstreams/stub-vendor.ts'

const vendor = startStubVendor()
afterAll(() => vendor.stop())

const open = useOperators(async () => ({
  config: `upstreams:
  - { id: main, kind: openai, base_url: "${vendor.baseUrl}", keys: [${vendor.key}] }
models:
  - { id: terra, routes: [{ upstream: main, model: gpt-6.1-terra, cost: { input: 1, output: 5 } }], price: { input: 1.2, output: 6 } }
`,
}))
const { visit, as } = open

const adminOf = ({ gateway }: typeof open) => ({
  async create(id: string) {
    const { secret } = await gateway.command<{ secret: string }>('admin-key', 'create', '--name', id, '--role', 'admin')
    const entry = { id, dialect: 'chat', base_url: vendor.baseUrl, keys: [vendor.key] }
    const made = await adminClient(gateway.url, secret)('POST', 'upstreams', { body: entry })
    expect(made.status).toBe(201)
  },
})

/** A person at a page, whose clicks are counted. A field is clicked before it is filled. */
const person = (page: Page) => {
  let clicks = 0
  const click = async (role: 'button' | 'link' | 'checkbox', name: string | RegExp) => {
    clicks += 1
    await page.getByRole(role, { name, exact: typeof name === 'string' }).click()
  }
  const fill = async (label: string, text: string) => {
    clicks += 1
    const field = page.getByLabel(label, { exact: true })
    await field.click()
    await field.fill(text)
  }
  return { click, fill, clicks: () => clicks }
}

test('the first hour: from the printed link to a real answer and a key that works, in fewer than 25 clicks', async () => {
  const gateway = await startGateway()
  const token = /\/console\/setup#(\S+)$/m.exec(gateway.output().stdout)?.[1] ?? ''
  const { page, problems, close } = await openConsole(open.browser, gateway.url, `/setup#${token}`)
  try {
    const { click, fill, clicks } = person(page)
    await page.getByRole('heading', { level: 1, name: 'Set up your gateway' }).waitFor()
    await page.getByRole('button', { name: /^OpenAI/ }).waitFor()
    await expectWellShown(page, 'start', inTheme(false))
    await click('button', /^OpenAI/)
    await click('button', 'Another base URL')
    await fill('Base URL', vendor.baseUrl)
    await fill('API key', 'not-the-key-of-the-vendor')
    await click('button', 'Check the key')
    await page.getByText('Incorrect API key provided.').waitFor()
    await fill('API key', vendor.key)
    await click('button', 'Check the key')
    await page.getByText(/calls, cost at most/).waitFor()
    expect(vendor.answered()).toBe(0)
    await click('button', 'Send the test')
    await page.getByText('All 4 calls succeeded.').waitFor()
    expect(vendor.answered()).toBe(4)
    expect(clicks()).toBeLessThan(12)

    await click('button', 'Choose models')
    await fill('Markup on cost, %', '20')
    await page.getByText('1.20 in · 6.00 out').waitFor()
    expect(await page.getByRole('checkbox', { name: 'house-model' }).isChecked()).toBe(false)
    await expectWellShown(page, 'start-models', inTheme(true))
    // A reload loses nothing but the key.
    await page.reload()
    await fill('API key', vendor.key)
    await click('button', 'Check the key')
    await click('button', 'Skip the test')
    await page.getByText('1.20 in · 6.00 out').waitFor()
    await click('button', 'Choose none')
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await click('button', 'Choose all')
    await click('button', 'Continue with 2 models')
    await click('button', 'Review')
    await page.getByLabel('Name of the upstream').waitFor()
    await click('button', 'Save')
    await page.getByText('The sandbox is turned off').waitFor()
    await expectWellShown(page, 'start-save', inTheme(false))
    await click('button', 'Save as one revision')

    await page.getByRole('heading', { name: 'Hand out a key', exact: true }).waitFor()
    await fill('Name of the account', 'Research team')
    await click('button', 'Create a key')
    await click('button', 'Create')
    await click('button', /^Send a request to gpt-6/)
    await page.getByText('Answer', { exact: true }).waitFor()
    expect(clicks()).toBeLessThan(25)
    await expectWellShown(page, 'start-key', inTheme(true))

    // From now on the owner lands on the overview.
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'o', role: 'owner' })
    const admin = adminClient(gateway.url, secret)
    const revisions = await admin<{ data: unknown[] }>('GET', 'configuration/revisions')
    expect(revisions.body.data).toHaveLength(1)
    const models = await admin<{ data: { id: string }[] }>('GET', 'models')
    expect(models.body.data.map(({ id }) => id)).toEqual(['gpt-6-astra', 'gpt-6.1-terra'])
    expect(problems).toEqual([])
  } finally {
    await close()
    await gateway.stop()
  }
})

test('the list and a page of an upstream show health, calls and latencies, and why a key cools down until when', async () => {
  const { secret } = await newKey(open.gateway)
  const ask = () => chat(open.gateway.url, secret, { model: 'terra', messages: [{ role: 'user', content: 'Hello' }] })
  expect((await ask()).status).toBe(200)
  await visit('/operate/upstreams', { account: await as('owner') }, async ({ page }) => {
    const row = page.getByRole('row', { name: /main/ })
    await row.getByText('Healthy').waitFor()
    await row.getByRole('link', { name: '1', exact: true }).waitFor()
    await expectWellShown(page, 'upstreams', inTheme(false))
    await row.getByRole('button').click()
    await page.getByRole('heading', { level: 1, name: 'main' }).waitFor()
    await page.getByText(/This upstream is read-only here: change it in .*trivium\.yaml:2/).waitFor()
    await page.getByRole('heading', { name: 'Calls per hour' }).waitFor()
    await expectWellShown(page, 'upstream', OPPOSITES)
    const key = page.getByRole('region', { name: 'Keys' }).getByRole('row').nth(1)
    await key.getByRole('cell', { name: '0%', exact: true }).waitFor()
    vendor.limit(40)
    expect((await ask()).status).toBe(429)
    await key.getByRole('cell', { name: '50%', exact: true }).waitFor()
    await page.getByText(/gpt-6\.1-terra is paused until/).waitFor()
    await page.getByText('Degraded').first().waitFor()
    vendor.limit(undefined)
  })
})

test('draining says what it means and can be undone; disabling needs a reason; a test shows its price first', async () => {
  await visit('/operate/upstreams/main', { account: await as('admin') }, async ({ page }) => {
    await page.getByRole('button', { name: 'Drain' }).click()
    await page.getByText('1 model loses its last route.').waitFor()
    await page.getByText('Without a route: terra').waitFor()
    await expectWellShown(page, 'upstream-drain', inTheme(true))
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
    await page.getByText('main is draining.').waitFor()
    await page.getByText('Draining', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
    await page.getByText('main gets requests again.').waitFor()

    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Enter a reason. It is kept in the audit log.').waitFor()
    await page.keyboard.press('Escape')

    const before = vendor.answered()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText(/4 calls, cost at most/).waitFor()
    expect(vendor.answered()).toBe(before)
    await page.getByRole('button', { name: 'Send the test' }).click()
    await page.getByText('All 4 calls succeeded.').waitFor()
    expect(vendor.answered()).toBe(before + 4)
  })
})

test('the wizard works by keyboard, gives a file’s model no second route, and asks for prices that the list does not have', async () => {
  await visit('/operate/upstreams', { account: await as('owner') }, async ({ page }) => {
    await page.getByRole('link', { name: 'Add an upstream' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Another service/ }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Base URL').fill(vendor.baseUrl)
    await page.getByLabel('API key, if it needs one').fill(vendor.key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Skip the test' }).waitFor()
    await page.getByRole('button', { name: 'Skip the test' }).focus()
    await page.keyboard.press('Enter')
    await page.getByLabel('Add a model by the vendor’s name').fill('terra')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('checkbox', { name: 'terra', exact: true }).isDisabled()).toBe(true)
    await page.getByText('in the configuration file').waitFor()
    await page.getByRole('checkbox', { name: 'house-model' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByText('Enter prices, in USD per million tokens: house-model').waitFor()
    await page.getByLabel('Input price of house-model, USD per million tokens').fill('0.5')
    await page.getByLabel('Output price of house-model, USD per million tokens').fill('2')
    await page.getByRole('button', { name: /^Continue with/ }).click()
    await page.getByLabel('Also create a group with these models').check()
    await page.getByLabel('Name of the group').fill('research')
    await page.getByRole('button', { name: 'Review' }).click()
    await page.getByLabel('Name of the upstream').fill('main')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('An upstream with this name exists. Choose another name.').waitFor()
    await page.getByLabel('Name of the upstream').fill('second')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The group default is created too').waitFor()
    await page.getByRole('button', { name: 'Save as one revision' }).click()
    await page.getByRole('heading', { level: 1, name: 'second' }).waitFor()
    await page.getByText('house-model').first().waitFor()
    await eventually(async () => (await page.getByText('stored, revision').count()) > 0)
  })
})

/** A service of AWS, which accepts only what is signed with the one key. */
function startBedrock() {
  const keys = new Map([['AKIDOFTHEWIZARD', { secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }]])
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, url } = request
      const sent = { method, url, headers: Object.fromEntries(request.headers), body: await request.text() }
      const by = signerOf(sent, { service: 'bedrock', now: Date.now(), keys })
      if (Array.isArray(by))
        return Response.json({ message: by[1] }, { status: 403, headers: { 'x-amzn-errortype': by[0] } })
      const { pathname } = new URL(url)
      if (pathname === '/inference-profiles') return Response.json({ inferenceProfileSummaries: [] })
      const summary = { modelId: 'openai.gpt-oss-120b-1:0', inferenceTypesSupported: ['ON_DEMAND'] }
      if (pathname === '/foundation-models') return Response.json({ modelSummaries: [summary] })
      return Response.json({ message: `no ${pathname} in ${by.region}` }, { status: 404 })
    },
  })
}

test('an upstream of a cloud: where it is and who is asked for, errors at their fields, no secret in the tab; then it is edited', async () => {
  const bedrock = startBedrock()
  try {
    await visit('/operate/upstreams?add=yes', { account: await as('owner') }, async ({ page }) => {
      const click = (name: string | RegExp) =>
        page.getByRole('button', { name, exact: typeof name === 'string' }).click()
      const field = (name: string) => page.getByLabel(name, { exact: true })
      await click(/^Amazon Bedrock\s?bedrock|^Amazon Bedrock(?! \()/)
      await field('Region').waitFor()
      await click('Check the access')
      await page.getByText('Region is missing.').waitFor()
      await field('Region').fill('us east')
      await click('Check the access')
      await page.getByText(/expected the name of a region, such as us-east-1/).waitFor()
      expect(await field('Region').getAttribute('aria-invalid')).toBe('true')
      await expectWellShown(page, 'operate-upstream-cloud', OPPOSITES)
      await page.getByRole('radio', { name: 'API key' }).check({ force: true })
      await page.getByRole('button', { name: 'Check the key' }).waitFor()
      expect(await field('Access key ID').count()).toBe(0)
      await page.getByRole('radio', { name: 'AWS' }).check({ force: true })

      await click('Another base URL')
      await field('Base URL').fill(`${bedrock.url.origin}/openai/v1`)
      await field('Region').fill('eu-west-1')
      await field('Access key ID').fill('AKIDOFTHEWIZARD')
      await click('Check the access')
      await page.getByText(/access_key and secret_key go together/).waitFor()
      await field('Secret access key').fill('not-the-secret')
      await click('Check the access')
      await page.getByText(/signature we calculated does not match/).waitFor()
      await field('Secret access key').fill('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY')
      expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/AKIDOF|wJalr/)
      await click('Check the access')
      await page.getByText('The access works.', { exact: false }).waitFor()
      await click('Skip the test')
      await page.getByRole('checkbox', { name: 'openai.gpt-oss-120b-1:0' }).check()
      await field('Input price of openai.gpt-oss-120b-1:0, USD per million tokens').fill('0.5')
      await field('Output price of openai.gpt-oss-120b-1:0, USD per million tokens').fill('2')
      await click(/^Continue with/)
      await click('Review')
      await click('Save')
      await click('Save as one revision')
      await page.getByRole('heading', { level: 1, name: 'bedrock' }).waitFor()

      await click('Edit')
      const drawer = page.getByRole('dialog', { name: 'Edit bedrock' })
      const inDrawer = (name: string) => drawer.getByLabel(name, { exact: true })
      expect(await inDrawer('Secret access key').inputValue()).toBe('')
      await drawer.getByText('A value is stored. Leave this empty to keep it.').first().waitFor()
      await inDrawer('Session token').fill('token')
      await expectWellShown(page, 'operate-upstream-cloud-edit', [{ width: 1280, dark: false }])
      await drawer.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('dialog', { name: 'Change bedrock?' }).getByText('auth: session token').waitFor()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('bedrock was changed.').waitFor()
      await click('Edit')
      await drawer.getByRole('radio', { name: 'API key' }).check({ force: true })
      await drawer.getByRole('button', { name: 'Review' }).click()
      await drawer.getByText('Enter the keys again').waitFor()
      await inDrawer('Keys').fill('bedrock-api-key-7777')
      await drawer.getByRole('button', { name: 'Review' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('...7777').waitFor()
    })
  } finally {
    bedrock.stop(true)
  }
})

test('a stored upstream is edited; another URL asks for its keys again', async () => {
  await adminOf(open).create('third')
  await visit('/operate/upstreams/third', { account: await as('admin') }, async ({ page }) => {
    const drawer = page.getByRole('dialog', { name: 'Edit third' })
    const edit = () => page.getByRole('button', { name: 'Edit', exact: true }).click()
    const review = () => drawer.getByRole('button', { name: 'Review' }).click()
    await edit()
    await drawer.getByLabel('Max concurrency', { exact: true }).fill('many')
    await review()
    await drawer.getByRole('alert').waitFor()
    expect(await drawer.getByLabel('Max concurrency', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    await drawer.getByLabel('Max concurrency', { exact: true }).fill('5')
    await drawer.getByLabel('Total timeout').fill('5m')
    await expectWellShown(page, 'upstream-edit', OPPOSITES)
    await review()
    await page.getByRole('dialog', { name: 'Change third?' }).getByText('timeouts: total').waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('third was changed.').waitFor()
    await page.getByText('0 / 5').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog', { name: 'Restore the former settings of third?' }).waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('0 / no limit').waitFor()

    await edit()
    expect(await drawer.getByLabel('Keys').count()).toBe(0)
    const moved = vendor.baseUrl.replace('/v1', '/other/v1')
    await drawer.getByLabel('Base URL').fill(moved)
    await review()
    await drawer.getByText('Enter the keys again').waitFor()
    await drawer.getByLabel('Keys').fill('another-key-9999')
    await review()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText(moved).waitFor()
    await page.getByText('...9999').waitFor()
  })
})

test('a key is replaced by one that the upstream accepts, with a note, and nobody reads a fingerprint', async () => {
  await adminOf(open).create('fourth')
  const account = await as('admin')
  await visit('/operate/upstreams/fourth', { account }, async ({ page }) => {
    const actions = page.getByRole('button', { name: /^Actions for the key/ })
    const form = page.getByRole('dialog', { name: /^Replace the key/ })
    await actions.click()
    await page.getByRole('menuitem', { name: 'Replace' }).click()
    await form.getByRole('textbox', { name: /^Key/ }).fill('a-key-that-is-wrong')
    await form.getByRole('textbox', { name: /^Note/ }).fill('contract of 2027')
    await form.getByRole('button', { name: 'Replace' }).click()
    await form.getByText(/the key was rejected \(401\)/).waitFor()
    await form.getByRole('textbox', { name: /^Key/ }).fill(vendor.key)
    await form.getByRole('button', { name: 'Replace' }).click()
    await page.getByText('Running requests keep the old one.').waitFor()
    expect(await page.getByText('hmac:').count()).toBe(0)
    await page.getByRole('dialog').last().getByRole('button', { name: 'Replace' }).click()
    await page.getByText('The key was replaced.').waitFor()
    await page.getByText('contract of 2027').waitFor()
    await page.locator('#content').getByText(account.email).waitFor()
    await expectWellShown(page, 'upstream-keys', OPPOSITES)
  })
})

test('in Chinese, and for a viewer, who sees everything and can do nothing', async () => {
  await visit('/operate/upstreams/main', { account: await as('viewer'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByRole('heading', { name: '每小时调用' }).waitFor()
    await expectWellShown(page, 'upstream-zh', inTheme(true))
    expect(await page.getByRole('button', { name: /^测试/ }).isDisabled()).toBe(true)
    expect(await page.getByRole('heading', { name: '每日成本' }).count()).toBe(0)
    await page.goto(`${open.gateway.url}/console/operate/upstreams?add=yes`)
    await page.getByRole('row', { name: /main/ }).waitFor()
    expect(await page.getByRole('link', { name: '添加上游' }).count()).toBe(0)
  })
})

test('vendors with accounts in mainland China offer both of their endpoints, in Chinese that one first', async () => {
  await visit('/operate/upstreams?add=yes', { account: await as('owner'), locale: 'zh-CN' }, async ({ page }) => {
    await page.getByText('api.moonshot.cn').waitFor()
    await page.getByRole('button', { name: /^Moonshot/ }).click()
    await page.getByText('https://api.moonshot.cn', { exact: true }).waitFor()
    const keys = page.getByRole('link', { name: '获取密钥' })
    expect(await keys.getAttribute('href')).toContain('moonshot.cn')
    await page.getByRole('radio', { name: '国际站' }).check({ force: true })
    await page.getByText('https://api.moonshot.ai', { exact: true }).waitFor()
    expect(await keys.getAttribute('href')).not.toContain('moonshot.cn')
    await page.getByRole('radio', { name: '中国大陆' }).check({ force: true })
    await expectWellShown(page, 'operate-upstream-region', OPPOSITES)
    let sent: unknown
    await page.route('**/upstream-drafts/models', async (route) => {
      sent = route.request().postDataJSON()
      await route.fulfill({ json: { kind: 'moonshot', is_complete: true, models: ['kimi-k3'] } })
    })
    await page.locator('input[name=key]').fill('sk-in-china')
    await page.keyboard.press('Enter')
    await page.getByText('https://api.moonshot.cn · 密钥已输入').waitFor()
    expect(sent).toEqual({ kind: 'moonshot', region: 'china', keys: ['sk-in-china'] })
  })
})
