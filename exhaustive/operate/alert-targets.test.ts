// Where alerts are sent, in the operators' console: a webhook is added with a secret that is shown once, tested, edited and removed.
import { afterAll, expect, test } from 'bun:test'
import { useOperators } from '../../test/support/operators.ts'

const paths: string[] = []
const hook = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    paths.push(new URL(request.url).pathname)
    return new Response(null, { status: 204 })
  },
})
afterAll(() => hook.stop(true))

const { visit, as } = useOperators({
  config: `
mail: { url: "smtps://localhost:1", from: gw@example.com }
alerts: { email: [filed@example.com], allow_private: true }
`,
})

test('a webhook is added, tested, edited and removed; what the file sets is only shown', async () => {
  await visit('/operate/alerts', { account: await as('admin') }, async ({ page }) => {
    const targets = page.getByRole('table', { name: 'Where alerts are sent' })
    await targets.getByText('From line 3 of').waitFor()
    expect(await page.getByRole('button', { name: 'Manage email filed@example.com' }).count()).toBe(0)

    await page.getByRole('button', { name: 'Add a webhook' }).click()
    await page.getByLabel('URL').fill('hooks.example.com/one')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('such as https://example.com/alerts').waitFor()
    await page.getByLabel('URL').fill(`${hook.url}one`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page
      .getByRole('dialog')
      .getByText(/whsec_[A-Za-z0-9+/=]{40}/)
      .waitFor()
    await page.getByLabel('I have stored it').check()
    await page.getByRole('button', { name: 'Done' }).click()

    const row = targets.getByRole('row').filter({ hasText: `webhook ${hook.url.host}` })
    const manage = async (item: string) => {
      await row.getByRole('button', { name: /^Manage webhook/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const sendTest = async () => {
      await row.getByRole('button', { name: /^Send a test to webhook/ }).click()
      await row.getByText('The test was delivered.').waitFor()
    }
    await sendTest()
    await manage('Edit')
    await page.getByLabel('URL').fill(`${hook.url}two`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByText('The target was changed.').first().waitFor()
    await row.getByText('The test was delivered.').waitFor({ state: 'detached' })
    await sendTest()
    expect(paths).toEqual(['/one', '/two'])
    await manage('Remove')
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await row.waitFor({ state: 'detached' })
  })
})

test('a viewer sees the targets, and who could add one', async () => {
  await visit('/operate/alerts', { account: await as('viewer') }, async ({ page }) => {
    await page.getByText('email filed@example.com').waitFor()
    expect(await page.getByRole('button', { name: 'Add a webhook' }).isDisabled()).toBe(true)
  })
})
