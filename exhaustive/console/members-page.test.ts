// People of an account in a real browser: invite by a link, accept it, switch between accounts, revoke, remove.
import { expect, test } from 'bun:test'
import { expectWellShown, OPPOSITES } from '../../test/support/console/page.ts'
import { eventually } from '../../test/support/eventually.ts'
import { PASSWORD } from '../../test/support/gateway/console.ts'
import { chat } from '../../test/support/gateway/gateway.ts'
import { useOperators } from '../../test/support/operators.ts'

const open = useOperators()
const { visit, newAccount, as } = open

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

test('what each member spent is shown to the owner of the account, to the member alone, and to operators', async () => {
  const [owner, member] = [await newAccount(), await newAccount()]
  const account = (await accountsOf(owner.client))[owner.email] ?? ''
  await open.gateway.command('account', 'member', '--account', account, '--email', member.email, '--role', 'member')
  await member.client.post('session/account', { account })
  const { secret } = (await member.client.post<{ secret: string }>('keys', { name: 'of the member' })).body
  const messages = [{ role: 'user', content: 'Hello' }]
  expect((await chat(open.gateway.url, secret, { model: 'sandbox-text', messages })).status).toBe(200)
  const known = async () =>
    (await member.client.get<{ email: string; spent_usd: string; spent_this_month_usd: string }[]>('members')).body
  await eventually(async () => (await known())[0]?.spent_usd !== '0.00')
  const [spent] = await known()
  const amounts = [`${spent?.spent_this_month_usd} USD`, `${spent?.spent_usd} USD`]

  const people = async (client: typeof owner) =>
    await visit('/settings', { account: client }, async ({ page }) => {
      const rows = page.getByRole('region', { name: 'People' }).getByRole('listitem')
      await rows.first().waitFor()
      await expectWellShown(page, 'members-spent', OPPOSITES)
      return (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, ' '))
    })
  const ofMember = `${member.email} Member \u00b7 no cap spent this month: ${amounts[0]} \u00b7 in total: ${amounts[1]}`
  expect((await people(owner)).toSorted()).toEqual(
    [`${owner.email} Owner \u00b7 no cap spent this month: 0.00 USD \u00b7 in total: 0.00 USD`, ofMember].toSorted(),
  )
  expect(await people(member)).toEqual([ofMember])

  await visit(`/operate/accounts/${account}/people`, { account: await as('viewer') }, async ({ page }) => {
    const row = page.getByRole('row').filter({ hasText: member.email })
    await row.waitFor()
    expect((await page.getByRole('columnheader').allInnerTexts()).slice(3, 5)).toEqual([
      'Spent this month, USD',
      'Spent in total, USD',
    ])
    expect((await row.getByRole('cell').allInnerTexts()).slice(3, 5).map((text) => text.replace(/\s+/g, ' '))).toEqual(
      amounts,
    )
    await expectWellShown(page, 'operate-members-spent', OPPOSITES)
  })
})

async function accountsOf(client: { get<T>(path: string): Promise<{ body: T }> }): Promise<Record<string, string>> {
  const { accounts } = (await client.get<{ accounts: { id: string; name: string }[] }>('session')).body
  return Object.fromEntries(accounts.map(({ id, name }) => [name, id]))
}
