// People of an account in a real browser: invite by a link, accept it, switch between accounts, revoke, remove.
import { expect, test } from 'bun:test'
import { expectWellShown } from '../support/console/page.ts'
import { useConsole } from '../support/console/use-console.ts'
import { PASSWORD } from '../support/gateway/console.ts'

const open = useConsole()
const { visit, newAccount } = open

test('an owner invites a person, who accepts and switches accounts, and is removed again', async () => {
  const [owner, guest] = [await newAccount(), await newAccount()]
  const link = await visit('/settings', { account: owner }, async ({ page }) => {
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email address').fill('not an address')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Email address').fill(guest.email)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await page.getByText(`Send this link to ${guest.email}.`).waitFor()
    await page.keyboard.press('Escape')
    const url = await dialog.locator('code').innerText()
    await expectWellShown(page, 'invitation-made')
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke the invitation of Anyone with the link' }).click()
    await page.getByText('The invitation is revoked.').waitFor()
    await expectWellShown(page, 'members-and-invitations')
    return new URL(url)
  })

  await visit(link.pathname.replace('/console', '') + link.hash, { account: guest }, async ({ page }) => {
    await page.getByText(owner.email).first().waitFor()
    await expectWellShown(page, 'invitation')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.getByRole('button', { name: `Account: ${owner.email}` }).click()
    await page.getByRole('menuitem', { name: guest.email }).click()
    await page.getByRole('button', { name: `Account: ${guest.email}` }).waitFor()
    await guest.client.post('session/account', { account: (await accountsOf(guest.client))[owner.email] })
    expect((await guest.client.post('keys', { name: 'of the guest' })).status).toBe(201)
  })

  await visit('/settings', { account: owner }, async ({ page }) => {
    await page.getByRole('button', { name: `Actions for ${guest.email}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText('the keys that they created stop working').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(`${guest.email} is removed.`).waitFor()
  })
  expect((await guest.client.get('session')).status).toBe(401)
  await guest.client.post('sign-in', { email: guest.email, password: PASSWORD })
  expect(Object.keys(await accountsOf(guest.client))).toEqual([guest.email])
})

async function accountsOf(client: { get<T>(path: string): Promise<{ body: T }> }): Promise<Record<string, string>> {
  const { accounts } = (await client.get<{ accounts: { id: string; name: string }[] }>('session')).body
  return Object.fromEntries(accounts.map(({ id, name }) => [name, id]))
}
