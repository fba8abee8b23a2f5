// Setting up a client: the first model that is offered, another one if it does not answer, and the page that shows all clients.
import { expect, test } from 'bun:test'
import { choose } from '../../test/support/console/choose.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { useConsole } from '../../test/support/console/use-console.ts'

// The first of the file is the most expensive, and the cheapest does not answer.
const CONFIG = `
sandbox: true
upstreams: [{ id: demo, kind: sandbox }, { id: away, kind: openai, base_url: "http://127.0.0.1:9/v1", keys: [none], allow_private: true }]
models:
  - { id: grand, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 10, output: 50 } }
  - { id: silent, routes: [{ upstream: away, model: x }], price: { input: 0.1, output: 0.2 } }
  - { id: claude-small, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 2, output: 8 } }
  - { id: modest, routes: [{ upstream: demo, model: sandbox-text }], price: { input: 1, output: 4 } }
`
const { visit, newAccount } = useConsole({ config: CONFIG })

test('the first run offers the cheapest model, and another one if that does not answer; the playground goes on with it', async () => {
  const account = await newAccount()
  await visit('/', { account }, async ({ page }) => {
    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('button', { name: 'More options' }).click()
    const drawer = page.getByRole('dialog', { name: 'Create a key' })
    expect(await drawer.getByLabel('Name').inputValue()).toBe('laptop')
    await drawer.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('silent')
    await page.getByRole('button', { name: 'Send a test request' }).click()
    await page.getByText('The gateway responded with 502').waitFor()
    await page.getByRole('button', { name: 'Try modest' }).click()
    await page.getByText('The gateway responded.').waitFor()
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('modest')

    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    await page.getByText('Ask the model something').waitFor()
    const model = page.getByRole('combobox', { name: 'Model' })
    expect(await model.inputValue()).toBe('modest')
    await choose(page, 'Model', 'silent')
    await page.getByLabel('Message').fill('Hello')
    // The button waits until the models are there; Enter would be lost before.
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Try modest' }).click()
    await page.getByText('output tokens').waitFor()
    expect(await model.inputValue()).toBe('modest')
    // The last one that was used is offered again.
    await choose(page, 'Model', 'grand')
    await page.getByRole('link', { name: 'Overview', exact: true }).first().click()
    await page.getByRole('link', { name: 'Playground', exact: true }).click()
    expect(await model.inputValue()).toBe('grand')
  })
})

test('a key without requests leads to Connect, which has every client, a snippet with the secret, and a test', async () => {
  const account = await newAccount()
  const { body } = await account.client.post<{ secret: string; key: { last_four: string } }>('keys', { name: 'laptop' })
  await visit('/', { account }, async ({ page }) => {
    await page.getByRole('link', { name: 'Open Connect' }).click()
    await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Manage keys' }).click()
    await page.getByRole('button', { name: 'Actions for laptop' }).click()
    await page.getByRole('menuitem', { name: 'Connect a client' }).click()
    await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor()
    const snippet = page.getByRole('region', { name: 'Terminal' })
    await snippet.getByText(`sk-...${body.key.last_four}`).waitFor()
    await page.getByLabel('Its secret', { exact: true }).fill(body.secret)
    await page.getByRole('combobox', { name: 'Client', exact: true }).selectOption({ label: 'Claude Code' })
    await snippet.getByText(body.secret).waitFor()
    // A client of a vendor is offered a model of its own, and the link names the client.
    expect(await page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('claude-small')
    expect(new URL(page.url()).searchParams.get('client')).toBe('claude-code')
    await page.reload()
    await snippet.getByText('claude').first().waitFor()
    await page.getByLabel('Its secret', { exact: true }).fill(body.secret)
    await choose(page, 'Model', 'modest')
    await page.getByRole('button', { name: 'Send a test request' }).click()
    await page.getByText('The gateway responded.').waitFor()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('server')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('I have stored it').check()
    const created = (await page.locator('dialog code').innerText()).replace(/^Secret:\s*/, '')
    await page.getByRole('button', { name: 'Done' }).click()
    await snippet.getByText(created).waitFor()
    expect(await page.getByRole('combobox', { name: 'Key to use' }).inputValue()).toStartWith('server')
  })
})

test('a request that is rejected for lack of funds has an outcome, costs nothing and leads to no receipt', async () => {
  await visit('/playground', { account: await newAccount('0') }, async ({ page }) => {
    await page.getByLabel('Message').fill('Hello')
    // The button waits until the models are there; Enter would be lost before.
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    const answer = page.getByRole('article', { name: /modest|silent|grand/ })
    await answer.getByText('This request needs at least').waitFor()
    await answer.getByText('Rejected').waitFor()
    await answer.getByText('0.00 USD (Not charged)').waitFor()
    expect(await answer.getByRole('link', { name: 'Receipt' }).count()).toBe(0)
  })
})

test.each(LANGUAGES)('$locale, dark: $dark: Connect is accessible and fits the screen', async (view) => {
  const account = await newAccount()
  await account.client.post('keys', { name: 'laptop' })
  await visit('/connect', { ...view, account }, async ({ page }) => {
    await page.locator('main pre').waitFor()
    await expectWellShown(page, `connect-${view.locale}`, inTheme(view.dark))
    await page.getByRole('combobox').first().click()
    await page.getByRole('option').first().waitFor()
    await expectWellShown(page, `connect-list-${view.locale}`, inTheme(view.dark))
  })
})
