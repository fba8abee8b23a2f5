// Who may call operations, and what they leave in the audit log, on a real SQLite store.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadFile } from '../config.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { GatewayRole, Storage } from '../storage/storage.ts'
import { OPERATIONS } from './index.ts'
import { type Actor, COMMAND_LINE, perform } from './operation.ts'
import { OperationRejected } from './rejections.ts'

let folder = ''
let storage: Storage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-administration-'))
  storage = await openSqlite(folder)
  for (const name of ['owner', 'admin', 'viewer', 'nobody'] as const) {
    await run(COMMAND_LINE, 'account create', { email: `${name}@example.com`, credit_usd: '5' })
    if (name !== 'nobody') await run(COMMAND_LINE, 'person role', { email: `${name}@example.com`, role: name })
  }
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

const as = (role: GatewayRole): Actor => ({ type: 'person', id: 9n, role, address: '203.0.113.7', requestId: 5n })

async function run(actor: Actor, name: string, input: object): Promise<unknown> {
  const { config } = loadFile(undefined, {})
  const operation = OPERATIONS.get(name)
  if (!config || !operation) throw new Error(`no configuration, or no operation ${name}`)
  const accountCipher = () => Promise.reject(new Error('not here'))
  return await perform(operation, { actor, storage, config, listenUrl: 'http://localhost', accountCipher }, input)
}

const outcome = (actor: Actor, name: string, input: object): Promise<string> =>
  run(actor, name, input).then(
    () => 'done',
    (error) => (error instanceof OperationRejected ? error.rejection.reason : String(error)),
  )

const ACCOUNT = { account: 'nobody@example.com' }
const role = (email: string, role: GatewayRole | null) => ({ email: `${email}@example.com`, role })

test.each<[GatewayRole, string, object, string]>([
  ['viewer', 'account show', ACCOUNT, 'done'],
  ['viewer', 'account disable', ACCOUNT, 'forbidden'],
  ['support', 'account enable', ACCOUNT, 'done'],
  ['support', 'account credit', { ...ACCOUNT, amount_usd: '1' }, 'forbidden'],
  ['finance', 'account credit', { ...ACCOUNT, amount_usd: '1' }, 'done'],
  ['finance', 'key create', { ...ACCOUNT, name: 'k' }, 'forbidden'],
  ['finance', 'account limit', { ...ACCOUNT, cap_usd: '9' }, 'done'],
  ['finance', 'account limit', { ...ACCOUNT, limits: { rpm: 9 } }, 'forbidden'],
  ['support', 'account limit', { ...ACCOUNT, limits: { rpm: 9 } }, 'done'],
  ['support', 'account limit', { ...ACCOUNT, cap_usd: '8' }, 'forbidden'],
  ['support', 'account sign-in-link', ACCOUNT, 'done'],
  ['support', 'account sign-in-link', { account: 'viewer@example.com' }, 'forbidden'],
  ['admin', 'account sign-in-link', { account: 'viewer@example.com' }, 'done'],
  ['admin', 'account sign-in-link', { account: 'admin@example.com' }, 'outranked'],
  ['support', 'person role', role('nobody', 'viewer'), 'forbidden'],
  ['admin', 'person role', role('nobody', 'admin'), 'role_too_high'],
  ['admin', 'person role', role('owner', null), 'outranked'],
  ['admin', 'person role', role('viewer', 'support'), 'done'],
  ['owner', 'person role', role('owner', null), 'last_owner'],
  ['owner', 'person disable', { email: 'owner@example.com' }, 'last_owner'],
])('%s: %s %j: %s', async (actor, name, input, expected) => {
  expect(await outcome(as(actor), name, input)).toBe(expected)
})

test('a change leaves one row, without the secret; a rejected one leaves none', async () => {
  const { key, secret } = (await run(as('admin'), 'key create', { ...ACCOUNT, name: 'k', cap_usd: '3' })) as {
    key: { id: string }
    secret: string
  }
  expect(await outcome(as('admin'), 'key limit', { key: key.id, cap_usd: '0' })).toBe('malformed')
  await run(as('admin'), 'key limit', { key: key.id, cap_usd: '4' })
  await run(COMMAND_LINE, 'key delete', { key: key.id })
  const rows = await storage.auditLog.page({ object: `key/${key.id}` }, 10)
  expect(rows.map((row) => row.action)).toEqual(['key delete', 'key limit', 'key create'])
  expect(rows[1]).toMatchObject({
    actor: { type: 'person', id: '9' },
    address: '203.0.113.7',
    requestId: 5n,
    before: { cap_usd: '3.00' },
    after: { cap_usd: '4' },
  })
  expect(rows[0]?.actor).toEqual({ type: 'command-line', id: '' })
  expect(rows[2]?.after).toMatchObject({ name: 'k', secret: expect.stringMatching(/^sha256:[0-9a-f]{16}$/) })
  expect(JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(secret)
})

test("the group that an operator sets on a key is a ceiling, and others of its terms stay the holder's", async () => {
  const person = await storage.people.find('nobody@example.com')
  const [member] = person ? await storage.members.accountsOf(person.id) : []
  if (!person || !member) throw new Error('no account')
  const remote = { address: '203.0.113.8', requestId: 6n }
  const holder: Actor = { type: 'holder', person, account: member.account, role: 'owner', ...remote }
  const { key } = (await run(holder, 'key create', { account: String(member.account.id), name: 'own' })) as {
    key: { id: string }
  }
  const limit = (actor: Actor, terms: object) => outcome(actor, 'key limit', { key: key.id, ...terms })
  // The group that the holder has chosen is the operator's as soon as the operator names it.
  expect(await limit(as('support'), { group: 'default' })).toBe('done')
  expect((await storage.keys.findWithAccount(BigInt(key.id)))?.key.ceiling).toEqual({ group: 'default' })
  expect(await limit(as('support'), { group: 'sandbox' })).toBe('done')
  expect(await limit(holder, { group: 'default' })).toBe('above_ceiling')
  expect(await limit(holder, { group: 'sandbox', limits: { rpm: 5 } })).toBe('done')
  expect((await storage.keys.findWithAccount(BigInt(key.id)))?.key).toMatchObject({
    group: 'sandbox',
    ceiling: { group: 'sandbox' },
    limits: { requestsPerMinute: 5 },
  })
})
