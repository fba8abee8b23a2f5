// Who may call operations, and what they leave in the audit log, on a real SQLite store.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../../../test/support/eventually.ts'
import { firstIdAt, formatRequestId } from '../request/ids.ts'
import { loadFile } from '../server/config.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { GatewayRole, Storage } from '../storage/storage.ts'
import { OPERATIONS } from './index.ts'
import { type Actor, COMMAND_LINE, perform } from './operation.ts'
import { OperationRejected } from './rejections.ts'

let folder = ''
let storage: Storage
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-operate-'))
  storage = await openSqlite(folder)
  for (const name of ['owner', 'admin', 'viewer', 'nobody'] as const) {
    await run(COMMAND_LINE, 'account create', { email: `${name}@example.com`, credit_usd: '5' })
    if (name !== 'nobody') await run(COMMAND_LINE, 'person role', { person: `${name}@example.com`, role: name })
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
const role = (email: string, role: GatewayRole | null) => ({ person: `${email}@example.com`, role })

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
  ['support', 'report spend', { by: 'model', limit: 10 }, 'forbidden'],
  ['finance', 'report spend', { by: 'model', limit: 10 }, 'done'],
  ['viewer', 'report failures', {}, 'done'],
  ['viewer', 'report statement', { ...ACCOUNT, month: '2026-01' }, 'done'],
  ['viewer', 'report statement', { ...ACCOUNT, month: '2026-13' }, 'malformed'],
  ['viewer', 'report usage', { group_by: ['account', 'day'] }, 'done'],
  ['viewer', 'report usage', { group_by: ['account', 'week', 'tag:team'], from: '2026-01-31' }, 'done'],
  ['viewer', 'report usage', { group_by: ['end_user'], sort: '-charged' }, 'done'],
  ['viewer', 'report usage', { group_by: ['account', 'year'] }, 'malformed'],
  ['viewer', 'report usage', { group_by: ['tag:'] }, 'malformed'],
  ['viewer', 'report usage', { group_by: ['tag', 'end_user'] }, 'not_summed'],
  ['viewer', 'report usage', { group_by: ['tag'], end_user: 'u_1' }, 'not_summed'],
  ['viewer', 'report usage', { group_by: ['tag:team'], tag: 'env=prod' }, 'not_summed'],
  ['viewer', 'report usage', { group_by: ['tag:team'], tag: 'team=search' }, 'done'],
  ['viewer', 'report usage', { tag: 'a', from: '2026-01-31T12:00:00Z' }, 'not_summed'],
  ['viewer', 'report usage', { tag: 'a', sort: 'shortfall' }, 'not_summed'],
  ['viewer', 'report usage', { person: '99' }, 'no_person'],
  ['viewer', 'report session', { account: '1', session: '' }, 'malformed'],
  ['viewer', 'report usage', { from: '2026-01-31T12:30:00Z' }, 'malformed'],
  ['viewer', 'report usage', { after: 'week:x' }, 'malformed'],
  ['viewer', 'request list', { account: 'ghost@example.com' }, 'unknown_account'],
  ['viewer', 'request list', { after: 'req_0000000000000001', before: 'req_0000000000000002' }, 'exclusive'],
  ['viewer', 'request list', { from: '2026-02-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'empty_range'],
  ['viewer', 'task show', { task: 'req_0000000000000001' }, 'unknown_task'],
  ['viewer', 'ledger transfers', { kind: 'credit' }, 'done'],
  ['viewer', 'key list', { unused_since: '2026-01-31T12:00:00Z', last_four: 'ab' }, 'malformed'],
  ['viewer', 'node list', {}, 'done'],
  ['support', 'person list', {}, 'forbidden'],
  ['admin', 'person list', { role: 'none' }, 'done'],
  ['viewer', 'request show', { request: 'req_0000000000000001' }, 'unknown_request'],
  ['viewer', 'code list', { limit: 10 }, 'done'],
  ['support', 'code revoke', { label: 'x' }, 'forbidden'],
  ['support', 'account import', { rows: [] }, 'forbidden'],
  ['support', 'account create', { name: 'with a line', credit_line_usd: '5' }, 'forbidden'],
  ['support', 'account create', { name: 'with a cap', cap_usd: '5' }, 'forbidden'],
  ['support', 'account create', { name: 'with a key', key: 'k', limits: { rpm: 5 } }, 'done'],
  ['finance', 'account create', { name: 'by finance' }, 'forbidden'],
  ['admin', 'account create', { name: 'with a role alone', role: 'owner' }, 'missing_field'],
  ['admin', 'account create', { name: 'in a team', member_of: 'with a key' }, 'missing_field'],
  ['admin', 'account create', { name: 'without people', link: true }, 'missing_field'],
  ['admin', 'account create', { email: 'new@example.com', member_of: 'nowhere' }, 'unknown_account'],
  ['support', 'account bulk', { accounts: ['1'], act: 'credit_line', terms: { credit_line_usd: '5' } }, 'forbidden'],
  ['finance', 'account bulk', { accounts: ['1'], act: 'credit_line', terms: { credit_line_usd: '5' } }, 'done'],
  ['finance', 'account bulk', { accounts: ['1'], act: 'credit_line', terms: {} }, 'malformed'],
  ['finance', 'account delete', ACCOUNT, 'forbidden'],
  ['owner', 'person disable', { person: 'owner@example.com' }, 'last_owner'],
  ['viewer', 'upstream state', { upstream: 'sandbox' }, 'done'],
  ['finance', 'upstream disable', { upstream: 'sandbox' }, 'forbidden'],
  ['admin', 'upstream disable', { upstream: 'sandbos' }, 'unknown_upstream'],
  ['support', 'upstream test', { upstream: 'sandbox' }, 'forbidden'],
  ['support', 'upstream certify', { upstream: 'sandbox' }, 'forbidden'],
  ['admin', 'upstream certify', { upstream: 'sandbox', part: 'chatt' }, 'malformed'],
  ['admin', 'upstream certify', { upstream: 'sandbox', part: 'upstream' }, 'done'],
  ['support', 'upstream models', { upstream: 'sandbox' }, 'forbidden'],
  ['admin', 'upstream models', { upstream: 'sandbox' }, 'done'],
  ['viewer', 'model route-preview', { model: 'sandbox-text' }, 'done'],
  ['viewer', 'model price-preview', { model: 'sandbox-text', units: { input: 1 } }, 'done'],
  ['viewer', 'model price-preview', { model: 'gpt-9', units: { input: 1 } }, 'model_unavailable'],
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
  const holder: Actor = {
    type: 'holder',
    person,
    account: member.account,
    role: 'owner',
    isByOperator: false,
    ...remote,
  }
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

test('the same credit is booked once by its id; with other terms it is rejected', async () => {
  const give = (amount_usd: string, more: object = {}) =>
    outcome(COMMAND_LINE, 'account credit', { ...ACCOUNT, amount_usd, id: 'invoice-1', ...more })
  const before = (await storage.accounts.find(4n))?.balance ?? 0n
  expect([await give('2'), await give('2'), await give('2.00')]).toEqual(['done', 'done', 'done'])
  expect((await storage.accounts.find(4n))?.balance).toBe(before + 2_000_000_000n)
  expect(await give('3')).toBe('credit_differs')
  expect(await give('2', { reason: 'another' })).toBe('credit_differs')
  expect(await give('2', { account: 'viewer@example.com' })).toBe('credit_differs')
  const rows = await storage.auditLog.page({ object: 'account/4', action: 'account credit' }, 10)
  expect(rows.filter(({ after }) => after?.id === 'invoice-1')).toHaveLength(1)
})

test('an import is checked whole, writes each account once, and its repetition changes nothing', async () => {
  const key = { key: 'laptop', group: 'sandbox' }
  const good = [
    { email: 'ada@example.com', credit_usd: '10', cap_usd: '50', cap_period: 'month', limits: { rpm: 60 }, ...key },
    { name: 'nightly' },
  ]
  const load = (rows: object[], more: object = {}) => run(COMMAND_LINE, 'account import', { rows, ...more })
  const wrong: [object, string][] = [
    [{ email: 'no address' }, 'Row 3: email must be an email address'],
    [{ name: 'x', credit_usd: 'ten' }, 'Row 3: credit must be an amount'],
    [{ name: 'x', limits: { rpm: 0 } }, 'Row 3: rpm must be a whole number'],
    [{ name: 'x', cap_period: 'month' }, 'Row 3: cap_period requires cap.'],
    [{ name: 'x', group: 'nope', key: 'k' }, "Row 3: Unknown group 'nope'"],
    [{ name: 'x', group: 'default' }, 'Row 3: group requires key.'],
    [{ name: 'x', email: 'x@example.com' }, 'Row 3: Either email or name is required.'],
    [{ email: 'ADA@example.com' }, 'Row 3: is the same account as row 1.'],
    [{ name: 'x', colour: 'red' }, "Row 3: Unknown field 'colour'"],
  ]
  for (const [row, says] of wrong) {
    const error = await load([...good, row]).catch((error) => error)
    expect(String(error)).toContain(says)
  }
  expect(await load(good, { dry_run: true })).toMatchObject([
    { account: 'ada@example.com', id: null, result: 'would be created', secret: null },
    { account: 'nightly', result: 'would be created' },
  ])
  expect(await storage.people.find('ada@example.com')).toBeUndefined()
  const created = (await load(good)) as { id: string; result: string; secret: string | null }[]
  expect(created.map(({ result }) => result)).toEqual(['created', 'created'])
  const [ada, nightly] = created
  expect(ada?.secret).toMatch(/^sk-/)
  expect(nightly?.secret).toBeNull()
  expect(await storage.accounts.find(BigInt(ada?.id ?? 0))).toMatchObject({
    balance: 10_000_000_000n,
    cap: 50_000_000_000n,
    capPeriod: 'month',
    limits: { requestsPerMinute: 60 },
  })
  expect(await storage.keys.list(BigInt(ada?.id ?? 0))).toMatchObject([{ name: 'laptop', group: 'sandbox' }])
  const counts = async () => [(await storage.accounts.list()).length, (await storage.ledger.audit()).transfers]
  const before = await counts()
  expect(await load(good)).toEqual(created.map((row) => ({ ...row, result: 'exists', secret: null })))
  expect(await counts()).toEqual(before)
  const [row] = await storage.auditLog.page({ object: `account/${ada?.id}` }, 5)
  expect(row).toMatchObject({ action: 'account import', after: { key: 'laptop', credit_usd: '10.00' } })
  expect(JSON.stringify(row?.after)).not.toContain(ada?.secret ?? '')
})

test('a deleted account is gone for its people, and a repetition completes what was interrupted', async () => {
  const remove = (more: object = {}, actor: Actor = COMMAND_LINE) =>
    outcome(actor, 'account delete', { account: 'leaver@example.com', ...more })
  await run(COMMAND_LINE, 'account create', { email: 'leaver@example.com', credit_usd: '5' })
  const person = await storage.people.find('leaver@example.com')
  const [member] = await storage.members.accountsOf(person?.id ?? 0n)
  const id = member?.account.id ?? 0n
  expect(await remove()).toBe('account_in_use')
  expect(await remove({ force: true }, as('support'))).toBe('forbidden')
  expect(await remove({ force: true })).toBe('done')
  expect(await remove({ force: true })).toBe('unknown_account')
  expect(await outcome(COMMAND_LINE, 'account delete', { account: String(id) })).toBe('done')
  expect(await outcome(COMMAND_LINE, 'account enable', { account: String(id) })).toBe('account_deleted')
  const actions = await storage.auditLog.page({ object: `account/${id}` }, 10)
  expect(actions.map(({ action }) => action)).toEqual(['account delete', 'account create'])
})

test('costs of upstreams are absent for those who may not see them, in sums, lists and single requests', async () => {
  const [account] = await storage.accounts.findNamed('nobody@example.com')
  await run(COMMAND_LINE, 'key create', { ...ACCOUNT, name: 'used' })
  const key = (await storage.keys.list(account?.id ?? 0n)).at(-1)
  if (!account || !key) throw new Error('no key')
  const joined = await storage.ledger.apply({ verb: 'join', nodeId: 0, config: 'test', takeover: true })
  const owner = { id: firstIdAt(Date.now()), nodeId: 0, epoch: Number(joined.amount) }
  const amounts = { amount: 9n, minimum: 9n, tokens: 0, minimumTokens: 0 }
  const named = { account: account.id, key: key.id, revision: key.revision, model: 'm', upstream: 'main' }
  await storage.ledger.apply({ verb: 'hold', ...owner, ...named, ...amounts, extensible: false })
  const receipt = '{"upstream_cost":"0.000000003","error":{"code":"upstream_error"}}'
  const end = { cost: 5n, tokens: 1, outcome: 'cut', receipt, upstreamCost: 3n }
  expect((await storage.ledger.apply({ verb: 'settle', ...owner, ...end })).verdict).toBe('done')
  const seen = async (role: GatewayRole) => {
    const list = (name: string, input: object) => run(as(role), name, input) as Promise<{ items: object[] }>
    const [requests, sums] = await Promise.all([
      list('request list', { key: String(key.id) }),
      list('report usage', {}),
    ])
    const shown = (await run(as(role), 'request show', { request: formatRequestId(owner.id) })) as object
    return [requests.items[0] ?? {}, sums.items[0] ?? {}, shown]
  }
  const [listed, sums, shown] = await seen('finance')
  const id = formatRequestId(owner.id)
  expect(listed).toMatchObject({ id, outcome: 'cut', error_code: 'upstream_error', upstream_cost_usd: '0.000000003' })
  expect(sums).toMatchObject({ requests: 1, charged_usd: '0.000000005', upstream_cost_usd: '0.000000003' })
  expect(shown).toMatchObject({ id, upstream_cost_usd: '0.000000003', upstream: 'main' })
  const text = JSON.stringify(await seen('support'))
  expect(text).toContain(id)
  expect(text).not.toMatch(/upstream_cost|unknown_costs|0\.000000003/)
})

test('one audit of the ledger runs at a time; its run tells who started it, and how it ended', async () => {
  const epoch = await storage.leases.acquire('ledger audit', 'another node', 60_000)
  expect(await outcome(as('finance'), 'ledger audit start', {})).toBe('audit_runs')
  await storage.leases.release('ledger audit', epoch ?? 0)
  const begun = (await run(as('finance'), 'ledger audit start', {})) as { id: string; state: string }
  expect(begun).toMatchObject({ started_by: 'person/9', ended_at: null, result: null })
  const runs = async () => ((await run(as('viewer'), 'ledger audits', {})) as { items: object[] }).items
  await eventually(async () => (await runs()).some((each) => 'state' in each && each.state === 'passed'))
  expect((await runs())[0]).toMatchObject({ id: begun.id, step: 15, steps: 15, result: { ok: true } })
  expect(await outcome(as('viewer'), 'ledger audit start', {})).toBe('forbidden')
  await eventually(async () => (await outcome(as('finance'), 'ledger audit start', {})) === 'done')
})

test('usage is sorted by costs only for roles that see them, and over a bounded range', async () => {
  const sorted = (role: GatewayRole, input: object) => outcome(as(role), 'report usage', input)
  expect(await sorted('support', { group_by: ['account'], sort: '-charged' })).toBe('done')
  expect(await sorted('support', { group_by: ['account'], sort: 'margin' })).toBe('forbidden')
  expect(await sorted('finance', { group_by: ['account'], sort: 'margin' })).toBe('done')
  const year = { from: '2030-01-01', to: '2031-01-01', sort: '-charged' }
  expect(await sorted('finance', { ...year, group_by: ['key'] })).toBe('range_too_long')
  expect(await sorted('finance', { ...year, group_by: ['model'] })).toBe('done')
  expect(await sorted('finance', { sort: '-charged', after: 'account:1' })).toBe('exclusive')
})

describe('an account is named', () => {
  const member = (account: string, email: string, role: string) =>
    run(COMMAND_LINE, 'account member', { account, email, role })
  beforeAll(async () => {
    for (const name of ['team', 'lab', 'twin', 'twin']) await run(COMMAND_LINE, 'account create', { name })
    for (const name of ['own', 'renamed', 'two'])
      await run(COMMAND_LINE, 'account create', { email: `${name}@named.example` })
    await run(COMMAND_LINE, 'account edit', { account: 'renamed@named.example', name: 'of renamed' })
    for (const each of ['own', 'renamed', 'two', 'guest', 'guest2'])
      await member('team', `${each}@named.example`, 'member')
    await member('lab', 'guest2@named.example', 'member')
    await run(COMMAND_LINE, 'account edit', { account: 'two@named.example', name: 'of two' })
    await member('lab', 'two@named.example', 'owner')
  })
  test.each([
    ['by its name', 'team', 'team'],
    ['by a name that two have', 'twin', 'ambiguous_account'],
    ['by no name', 'nothing', 'unknown_account'],
    [
      'by the address that is its name, though the person is a member elsewhere',
      'own@named.example',
      'own@named.example',
    ],
    ['by the address of its owner, though the person is a member elsewhere', 'renamed@named.example', 'of renamed'],
    ['by an address in capitals', 'OWN@named.example', 'own@named.example'],
    ['by the address of its only member', 'guest@named.example', 'team'],
    ['by the address of a member of two', 'guest2@named.example', 'ambiguous_account'],
    ['by the address of an owner of two', 'two@named.example', 'ambiguous_account'],
    ['by no address', 'ghost@named.example', 'unknown_account'],
  ])('%s', async (_, account, expected) => {
    const found = await run(COMMAND_LINE, 'account show', { account }).then(
      (row) => (row as { name: string }).name,
      (error) => (error instanceof OperationRejected ? error.rejection.reason : String(error)),
    )
    expect(found).toBe(expected)
  })
})
