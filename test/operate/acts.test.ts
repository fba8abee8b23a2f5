// The dialog that every change of an operator goes through: what another person changed meanwhile, undoing, and the same by curl.
import { beforeAll, expect, test } from 'bun:test'
import { type AdminClient, adminClient } from '../support/admin/admin-client.ts'
import type { Page } from '../support/browser.ts'
import { expectWellShown, OPPOSITES } from '../support/console/page.ts'
import { PASSWORD } from '../support/gateway/console.ts'
import { operate } from '../support/gateway/operate.ts'
import { useOperators } from '../support/operators.ts'

const open = useOperators()
const { visit, as } = open

let admin: AdminClient
let secret: string
beforeAll(async () => {
  ;({ secret } = await operate<{ secret: string }>(open.gateway, 'admin-key create', { name: 'a', role: 'owner' }))
  admin = adminClient(open.gateway.url, secret)
  await admin('POST', 'groups', { body: { id: 'staff', models: ['*'], multiplier: '0.5' } })
})

const multiplier = async () => (await admin<{ multiplier: string }>('GET', 'groups/staff')).body.multiplier

async function edit(page: Page, value: string): Promise<void> {
  await page.goto(`${open.gateway.url}/console/operate/groups?group=staff`)
  const form = page.getByRole('dialog', { name: 'staff' })
  await form.getByLabel('Multiplier').fill(value)
  await form.getByRole('button', { name: 'Review' }).click()
}

test('what another person changed meanwhile is shown before it is overwritten', async () => {
  await visit('/operate/groups', { account: await as('owner') }, async ({ page }) => {
    await edit(page, '0.6')
    const dialog = page.getByRole('dialog').last()
    // What is to be changed has been read by then.
    await dialog.getByRole('region', { name: 'What changes' }).getByText('0.6').waitFor()
    await admin('PATCH', 'groups/staff', { body: { multiplier: '0.7' } })
    await dialog.getByLabel('Reason').fill('new contract')
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('Someone else has changed this since you opened it.').waitFor()
    await dialog.getByText(/^Last changed by .+, /).waitFor()
    expect(await dialog.getByRole('region', { name: 'What changes' }).innerText()).toMatch(/0\.7.*→.*0\.6/s)
    await expectWellShown(page, 'operate-changed-meanwhile', OPPOSITES)
    expect(await multiplier()).toBe('0.7')
    await dialog.getByRole('button', { name: 'Save anyway' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await multiplier()).toBe('0.6')
  })
})

test('a person who saves before the version was read is told of what another person changed', async () => {
  await visit('/operate/groups', { account: await as('owner') }, async ({ page }) => {
    const before = await multiplier()
    const [isRead, wasRead] = signal()
    const [mayArrive, letArrive] = signal()
    await page.route('**/admin/v1/groups/staff', async (route) => {
      const response = await route.fetch()
      wasRead()
      await mayArrive
      await route.fulfill({ response })
    })
    await edit(page, '0.4')
    await isRead
    await admin('PATCH', 'groups/staff', { body: { multiplier: '0.7' } })
    letArrive()
    const dialog = page.getByRole('dialog').last()
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await dialog.getByText('Someone else has changed this since you opened it.').waitFor()
    await admin('PATCH', 'groups/staff', { body: { multiplier: before } })
  })
})

/** A promise, and what resolves it. */
function signal(): [Promise<void>, () => void] {
  const { promise, resolve } = Promise.withResolvers<void>()
  return [promise, resolve]
}

test('a change can be undone for a moment, and the same can be done by curl', async () => {
  await visit('/operate/groups', { account: await as('owner') }, async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await edit(page, '0.8')
    const dialog = page.getByRole('dialog').last()
    await dialog.getByRole('button', { name: 'Copy as curl' }).click()
    const command = String(await page.evaluate('navigator.clipboard.readText()'))
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Restore' }).click()
    await page.getByRole('dialog').first().waitFor({ state: 'detached' })
    expect(await multiplier()).toBe('0.6')
    const curl = Bun.spawnSync(['sh', '-c', `${command} -s -o /dev/null -w '%{http_code}'`], {
      env: { ...process.env, TRIVIUM_ADMIN_KEY: secret },
    })
    expect([curl.stdout.toString(), await multiplier()]).toEqual(['200', '0.8'])
  })
})

test('a session that ends while an operator edits leads to another sign-in at once, and the change goes on', async () => {
  const account = await as('admin')
  await visit('/operate/groups', { account }, async ({ page }) => {
    await edit(page, '0.9')
    const dialog = page.getByRole('dialog').last()
    await dialog.getByRole('region', { name: 'What changes' }).getByText('0.9').waitFor()
    await account.client.post('sign-out-everywhere', {})
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByText(account.email).waitFor()
    expect(await page.getByText('No admin key').count()).toBe(0)
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await again.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    expect(await multiplier()).toBe('0.9')
  })
})
