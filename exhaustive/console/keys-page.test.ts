// The page of keys in a real browser: create, edit, rotate, delete, filter, and what a secret that is shown once needs.
import { expect, test } from 'bun:test'
import type { Locator, Page } from '../../test/support/browser.ts'
import { expectWellShown, inTheme, LANGUAGES } from '../../test/support/console/page.ts'
import { useConsole } from '../../test/support/console/use-console.ts'
import { eventually } from '../../test/support/eventually.ts'
import { chat } from '../../test/support/gateway/gateway.ts'

const CONFIG = `
console: { name: Example AI }
groups:
  - { id: default, models: ["*"] }
  - { id: premium, models: [sandbox-text], multiplier: 1.5, console: true }
`

const open = useConsole({ config: CONFIG })
const { visit, newAccount } = open

const statusOf = async (secret: string): Promise<number> => {
  const messages = [{ role: 'user', content: 'Hello' }]
  const response = await chat(open.gateway.url, secret, { model: 'sandbox-text', messages })
  await response.text()
  return response.status
}
const shownSecret = async (page: Page): Promise<string> =>
  (await page.locator('dialog code').first().innerText()).replace(/^Secret:\s*/, '')
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
async function choose(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('create, edit, rotate and delete a key', async () => {
  await visit('/keys', { account: await newAccount() }, async ({ page }) => {
    await page.getByText('No active keys').waitFor()
    await page.getByRole('button', { name: 'Create key' }).first().click()
    const drawer = page.getByRole('dialog', { name: 'Create a key' })
    await drawer.getByRole('button', { name: 'Create key' }).click()
    // Errors stand beside their fields, and the first one has the focus.
    await drawer.getByText('Enter a name of 1 to 100 characters.').waitFor()
    await page.waitForFunction('document.activeElement?.getAttribute("name") === "name"')
    await drawer.getByLabel('Name').fill('build server')
    await drawer.getByLabel('Group', { exact: true }).selectOption('premium')
    await drawer.getByText('Normal prices multiplied by 1.5. sandbox-text.').waitFor()
    await drawer.getByLabel('Spending cap').fill('0')
    await drawer.getByText('Restrictions').click()
    await drawer.getByLabel('IP addresses').fill('127.0.0.1\nhouse')
    await drawer.getByLabel('Requests per minute').fill('many')
    await drawer.getByRole('button', { name: 'Create key' }).click()
    await drawer.getByText('Enter an amount above zero').waitFor()
    await drawer.getByText('house is not an IP address or range.').waitFor()
    await drawer.getByText('Enter a whole number above zero.').waitFor()
    await drawer.getByLabel('Spending cap').fill('2.5')
    await drawer.getByLabel('Cap resets').selectOption('month')
    await drawer.getByLabel('Expires').selectOption('days30')
    await drawer.getByLabel('IP addresses').fill('127.0.0.1')
    await drawer.getByLabel('Requests per minute').fill('100')
    await drawer.getByText('Only chosen models').click()
    await drawer.getByLabel('sandbox-text').check()
    await drawer.getByRole('button', { name: 'Create key' }).click()

    // Neither Escape nor a click beside it closes the only copy of the secret.
    const once = page.getByRole('dialog', { name: 'Store this key now' })
    await once.waitFor()
    const secret = await shownSecret(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    expect(await shownSecret(page)).toBe(secret)
    expect(await once.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true)
    await once.getByText('Never commit a key to version control').waitFor()
    await once.getByLabel('I have stored it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    const row = rowOf(page, 'build server')
    await row.getByText(`sk-…${secret.slice(-4)}`).waitFor()
    await row.getByText('per month').waitFor()
    await row.getByText('Restricted').waitFor()
    expect(await page.getByText(secret).count()).toBe(0)
    expect(await statusOf(secret)).toBe(200)

    // What was set is in the form again; a change is saved.
    await page
      .getByRole('button', { name: 'build server', exact: true })
      .or(row.getByRole('button').first())
      .first()
      .click()
    const edit = page.getByRole('dialog', { name: 'Edit build server' })
    await edit.waitFor()
    expect(await edit.getByLabel('Spending cap').inputValue()).toBe('2.50')
    expect(await edit.getByLabel('IP addresses').inputValue()).toBe('127.0.0.1')
    await edit.getByLabel('Name').fill('build farm')
    await edit.getByLabel('Spending cap').fill('')
    await edit.getByLabel('Expires').selectOption('never')
    await edit.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved build farm.').waitFor()
    await rowOf(page, 'build farm').getByText('no cap').waitFor()

    // A dialog begins at its first field, and gives the focus back to the menu of the row.
    await choose(page, 'build farm', 'Rotate secret')
    const rotate = page.getByRole('dialog', { name: 'Rotate the secret of build farm?' })
    const hasFocus = (element: Locator) => eventually(() => element.evaluate((found) => found.matches(':focus')))
    await hasFocus(rotate.getByLabel('Current secret stops working'))
    await page.keyboard.press('Escape')
    await rotate.waitFor({ state: 'detached' })
    await hasFocus(page.getByRole('button', { name: 'Actions for build farm' }))
    await choose(page, 'build farm', 'Rotate secret')
    await rotate.getByLabel('Current secret stops working').selectOption('hour')
    await rotate.getByRole('button', { name: 'Rotate secret' }).click()
    await once.waitFor()
    const rotated = await shownSecret(page)
    expect(rotated).not.toBe(secret)
    await once.getByLabel('I have stored it').check()
    await once.getByRole('button', { name: 'Done' }).click()
    await rowOf(page, 'build farm').getByText('Previous secret works until').waitFor()
    expect([await statusOf(secret), await statusOf(rotated)]).toEqual([200, 200])

    // Deleting asks once; the key stays visible under its filter.
    await choose(page, 'build farm', 'Delete')
    const confirm = page.getByRole('dialog', { name: 'Delete the key build farm?' })
    await confirm.getByText(`secret ending in ${rotated.slice(-4)}`).waitFor()
    await confirm.getByRole('button', { name: 'Cancel' }).click()
    expect(await statusOf(rotated)).toBe(200)
    await choose(page, 'build farm', 'Delete')
    await confirm.getByRole('button', { name: 'Delete key' }).click()
    await page.getByText('Deleted build farm.').waitFor()
    await page.getByText('No active keys').waitFor()
    await page.getByText('Deleted', { exact: true }).first().click()
    await rowOf(page, 'build farm').getByText('Deleted').waitFor()
    expect(await page.getByText('Previous secret works until').count()).toBe(0)
    expect(new URL(page.url()).search).toBe('?state=deleted')
    expect([401, 401]).toEqual([await statusOf(secret), await statusOf(rotated)])
  })
})

test('filters and pages live in the URL; the built-in key is visible and cannot be deleted', async () => {
  await visit('/keys', { account: await newAccount() }, async ({ page }) => {
    await page.getByText('No active keys').waitFor()
    await page.evaluate(`(async () => {
    await fetch('/console/api/playground/key')
    for (let index = 0; index < 60; index++)
      await fetch('/console/api/keys', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'app-' + index }) })
  })()`)
    await page.reload()
    await page.getByText('61 keys').waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await rowOf(page, 'app-9').waitFor()
    await rowOf(page, 'Playground').getByText('Built-in').waitFor()
    await page.getByRole('button', { name: 'Actions for Playground' }).click()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Edit', 'Show usage'])
    await page.keyboard.press('Escape')
    // The menu gives the focus back in a moment.
    await page.locator('button[aria-label="Actions for Playground"]:focus').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('app-1')
    await page.getByText('11 keys').waitFor()
    expect(new URL(page.url()).search).toBe('?name=app-1')
    await page.reload()
    await page.getByText('11 keys').waitFor()
    await page.getByLabel('Search by name or last four characters').fill('nothing')
    await page.getByText('No key matches').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('61 keys').waitFor()
  })
})

test('an error says what failed, and Retry loads the page', async () => {
  await visit('/', { account: await newAccount() }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    let isDown = true
    await page.route('**/console/api/keys*', (route) =>
      isDown
        ? route.fulfill({
            status: 400,
            json: { error: { message: 'It is broken.', type: 'x', param: null, code: 'x' } },
          })
        : route.continue(),
    )
    await page.goto(`${open.gateway.url}/console/keys`)
    await page.getByText('It is broken.').waitFor()
    isDown = false
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('No active keys').waitFor()
  })
})

test.each(
  LANGUAGES,
)('$locale, dark: $dark: the page, its drawer and its dialogs are accessible and fit the screen', async (view) => {
  await visit('/keys', { ...view, account: await newAccount() }, async ({ page }) => {
    const look = (name: string) => expectWellShown(page, `${name}-${view.locale}`, inTheme(view.dark))
    const main = page.locator('main#content')
    await main.locator('header button').waitFor()
    await page.evaluate(`(async () => {
      const post = (path, body) => fetch('/console/api/' + path, { method: 'POST',
        headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }).then((answer) => answer.json())
      await fetch('/console/api/playground/key')
      await post('keys', { name: 'web shop', group: 'premium', cap_usd: '0.0001', cap_period: 'month' })
      const { key, secret } = await post('keys', { name: 'laptop', cap_usd: '20', expires_at: '2027-06-01T12:00:00Z' })
      await fetch('/v1/chat/completions', { method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer ' + secret },
        body: JSON.stringify({ model: 'sandbox-text', messages: [{ role: 'user', content: 'Hi' }] }) })
      await post('keys/' + key.id + '/rotate', { grace_seconds: 86400 })
      await post('keys', { name: 'a key with quite a long name for the production environment', networks: ['10.0.0.0/8'] })
    })()`)
    await page.reload()
    await main.locator('tbody tr').nth(3).waitFor()
    await main.getByText('laptop').waitFor()
    await look('keys')
    await main.locator('header button').click()
    await page.locator('dialog form details summary').click()
    await page.locator('dialog fieldset label').nth(1).click()
    await look('keys-create')
    await page.locator('dialog input[name=name]').fill('new')
    await page.locator('dialog fieldset label').first().click()
    await page.locator('dialog button[type=submit]').click()
    await page.locator('dialog code').waitFor()
    await look('keys-secret')
    await page.locator('dialog input[type=checkbox]').check()
    await page.locator('dialog footer button').click()
    await page
      .getByRole('button', { name: /laptop/ })
      .last()
      .click()
    await page.getByRole('menuitem').nth(2).click()
    await page.locator('dialog select').waitFor()
    await look('keys-rotate')
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /laptop/ })
      .last()
      .click()
    await page.getByRole('menuitem').last().click()
    await page.locator('dialog').waitFor()
    await look('keys-delete')
  })
})
