// What operators may do to people, accounts and keys: every operation, as every role, on what belongs to people whom the role does not outrank;
// and what the permission on money guards. On a real SQLite store, by dry runs, so that nothing changes what the next case finds.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TObject } from 'typebox'
import type { FileConfig } from '../../config/types.ts'
import { loadFile } from '../../server/config.ts'
import { openSqlite } from '../../storage/sqlite/open-sqlite.ts'
import { GATEWAY_ROLES, type GatewayRole, type Storage } from '../../storage/storage.ts'
import { OPERATIONS } from '../index.ts'
import { type Actor, COMMAND_LINE, Preview, perform } from '../operation.ts'
import { outranks, PERMISSIONS } from '../permissions.ts'
import { OperationRejected } from '../rejections.ts'

const CONFIG = `
sandbox: true
registration: { open: true, trial_credit: 10 }
groups:
  - { id: default, models: ["*"], multiplier: 1 }
  - { id: free, models: ["*"], multiplier: 0 }
  - { id: hidden, models: [sandbox-text], multiplier: 1 }
  - { id: cheap, models: ["*"], multiplier: 0.5, console: true }
  - { id: own, models: [sandbox-text], multiplier: 1, prices: { sandbox-text: { input: 0.1, output: 0.1 } } }
  - { id: staff, models: ["*"], multiplier: 0.2, accounts: [nobody@example.com] }
`

let folder = ''
let storage: Storage
let config: FileConfig
type Of = { email: string; account: string; key: string; adminKey: string; invitation: string; person: string }
const objects = {} as Record<GatewayRole | 'nobody', Of>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-rank-'))
  writeFileSync(join(folder, 'trivium.yaml'), CONFIG)
  storage = await openSqlite(folder)
  const loaded = loadFile(join(folder, 'trivium.yaml'), {})
  if (!loaded.config) throw new Error('no configuration')
  config = loaded.config
  for (const name of [...GATEWAY_ROLES, 'nobody'] as const) {
    const email = `${name}@example.com`
    // Whoever has the role is a member of the account, and another person owns it.
    const { id: account } = await run<{ id: string }>('account create', { email: `of-${email}`, credit_usd: '0' })
    await run('account member', { account, email, role: 'member' })
    await run('account create', { email: `second-${email}`, credit_usd: '0' })
    await run('account member', { account: `second-${email}`, email, role: 'owner' })
    if (name !== 'nobody') await run('person role', { person: email, role: name })
    const { key } = await run<{ key: { id: string } }>('key create', { account, name: 'k' })
    const { id: adminKey } = await run<{ id: string }>('admin-key create', {
      name,
      role: name === 'nobody' ? 'viewer' : name,
    })
    const invitation = await run<{ id: string }>('invitation create', { account })
    const person = String((await storage.people.find(email))?.id)
    objects[name] = { email, account, key: key.id, adminKey, invitation: invitation.id, person }
  }
})
afterAll(async () => {
  await storage.close()
  rmSync(folder, { recursive: true, force: true })
})

const context = (actor: Actor) => ({
  actor,
  storage,
  config,
  listenUrl: 'http://localhost',
  accountCipher: () => Promise.reject(new Error('not here')),
})
const named = (name: string) => OPERATIONS.get(name) ?? expect.unreachable(`no operation ${name}`)
const run = async <T>(name: string, input: object, actor = COMMAND_LINE): Promise<T> =>
  (await perform(named(name), context(actor), input)) as T

/** `allowed`: all checks have passed. */
const outcome = (actor: Actor, name: string, input: object): Promise<string> =>
  perform(named(name), { ...context(actor), dryRun: true }, input).then(
    (result) => rejectedAmong(result) ?? 'allowed',
    (error) => {
      if (error instanceof Preview) return String(error.effects.first_rejection ?? 'allowed')
      // What it takes beside the store, once all is checked.
      if (String(error) === 'Error: not here') return 'allowed'
      return error instanceof OperationRejected ? error.rejection.reason : String(error)
    },
  )
const rejectedAmong = (result: unknown): string | undefined =>
  (result as { first_rejection?: string } | undefined)?.first_rejection

const byPerson = (role: GatewayRole, id = 900n): Actor => ({ type: 'person', id, role, address: '', requestId: 5n })
const byKey = (role: GatewayRole): Actor => ({ type: 'admin-key', id: 900n, role, address: '', requestId: 5n })

/** What is done to whom. `reads`, `money`: allowed whatever the rank, for who has the permission. */
const ACTS: Record<string, ((of: Of) => object) | 'reads' | 'money'> = {
  'account show': 'reads',
  'account notes': 'reads',
  'account notices': 'reads',
  'account note add': 'reads',
  'account note delete': 'reads',
  'account sessions': 'reads',
  'account members': 'reads',
  'key list': 'reads',
  'key show': 'reads',
  'person show': 'reads',
  'person list': 'reads',
  'admin-key show': 'reads',
  'invitation list': 'reads',
  'account list': 'reads',
  usage: 'reads',
  'request list': 'reads',
  'task list': 'reads',
  'ledger transfers': 'reads',
  'code list': 'reads',
  'report session': 'reads',
  'report spend': 'reads',
  'report usage': 'reads',
  'report failures': 'reads',
  'report statement': 'reads',
  'model route-preview': 'reads',
  'rejected-requests': 'reads',
  'budget list': 'reads',
  'budget create': 'money',
  'account credit': 'money',
  'account credit-line': 'money',
  'code redeem': 'money',
  'account create': ({ account }) => ({ email: 'new@example.com', member_of: account }),
  // It plans each row as `account create` does, and only owners and admins may call it.
  'account import': 'reads',
  'account edit': ({ account }) => ({ account, name: 'another' }),
  'account limit': ({ account }) => ({ account, limits: { rpm: 1 } }),
  'account disable': ({ account }) => ({ account }),
  'account enable': ({ account }) => ({ account }),
  'account delete': ({ account }) => ({ account }),
  'account forget-responses': ({ account }) => ({ account }),
  'account callback-secret': ({ account }) => ({ account }),
  'account bulk': ({ account }) => ({ accounts: [account], act: 'disable' }),
  'account member': ({ account }) => ({ account, email: 'third@example.com', role: 'owner' }),
  'account sign-in-link': ({ email }) => ({ account: email }),
  'account remove-second-factor': ({ email }) => ({ account: email }),
  'account sign-out': ({ email }) => ({ account: email }),
  'person role': ({ person }) => ({ person, role: null }),
  'person disable': ({ person }) => ({ person }),
  'person enable': ({ person }) => ({ person }),
  'admin-key create': () => ({}),
  'admin-key delete': ({ adminKey }) => ({ admin_key: adminKey }),
  'invitation create': ({ account }) => ({ account, member_role: 'owner' }),
  'invitation revoke': ({ invitation }) => ({ invitation }),
  'key create': ({ account }) => ({ account, name: 'another' }),
  'key limit': ({ key }) => ({ key, limits: { rpm: 1 } }),
  'key rotate': ({ key }) => ({ key }),
  'key delete': ({ key }) => ({ key }),
  'key bulk': ({ key }) => ({ keys: [key], act: 'edit', terms: { limits: { rpm: 1 } } }),
}

test('the table has every operation that names a person, an account, a key or an invitation', () => {
  const fields = ['account', 'accounts', 'person', 'email', 'key', 'keys', 'admin_key', 'invitation', 'rows']
  // Operations on the configuration, whose fields have the same names for other things.
  const isOther = (name: string) => /^(upstream|group|alert target) /.test(name)
  const naming = [...OPERATIONS].filter(([, { input }]) =>
    fields.some((field) => field in ((input as unknown as TObject).properties ?? {})),
  )
  expect(naming.map(([name]) => name).filter((name) => !(name in ACTS) && !isOther(name))).toEqual([])
})

const guarded = Object.entries(ACTS).flatMap(([name, input]) =>
  typeof input === 'function' && name !== 'admin-key create' ? [[name, input] as const] : [],
)
describe.each(guarded)('%s', (name, inputOf) => {
  test('is not for roles that do not outrank the person', async () => {
    for (const role of GATEWAY_ROLES)
      for (const object of GATEWAY_ROLES.filter((each) => !outranks(role, each)))
        for (const actor of [byPerson(role), byKey(role)]) {
          // An admin key may be deleted by keys and people of the same role.
          if (name === 'admin-key delete' && role === object && role === 'admin') continue
          const found = await outcome(actor, name, inputOf(objects[object]))
          expect([role, object, found]).toEqual([
            role,
            object,
            expect.stringMatching(/^(forbidden|outranked|This person has|.*needs the permission|You need)/),
          ])
        }
  })

  test('is for owners, and for who has the permission on what nobody with a role has', async () => {
    const fine = /^(allowed|no_second_factor)$/
    expect(await outcome(byPerson('owner'), name, inputOf(objects.admin))).toMatch(fine)
    const { permission } = named(name)
    const roles = PERMISSIONS[permission === 'see' ? 'accounts' : permission]
    for (const role of roles)
      expect([role, await outcome(byPerson(role), name, inputOf(objects.nobody))]).toEqual([
        role,
        expect.stringMatching(fine),
      ])
  })
})

test('people act on the accounts that they share with no other operator', async () => {
  const { person, account } = objects.admin
  expect(await outcome(byPerson('admin', BigInt(person)), 'key create', { account, name: 'k' })).toBe('allowed')
  expect(await outcome(byPerson('admin'), 'key create', { account, name: 'k' })).toBe('outranked')
})

test.each([
  'finance',
  'admin',
] as const)('money is not asked for a rank: %s credits the account of an owner', async (role) => {
  const { account } = objects.owner
  expect(await outcome(byPerson(role), 'account credit', { account, amount_usd: '1' })).toBe('allowed')
  expect(await outcome(byPerson(role), 'account credit-line', { account, credit_line_usd: '1' })).toBe('allowed')
})

test('the last account of a person with a role is not erased, whoever asks', async () => {
  const { email } = objects.viewer
  await run('account delete', { account: `second-${email}` })
  const { account } = objects.viewer
  expect(await outcome(COMMAND_LINE, 'account delete', { account })).toBe('last_account_of_operator')
  expect(await storage.accounts.erase(BigInt(account), { force: true })).toBe(false)
})

describe('without the permission on money', () => {
  test('a new account has no credit', async () => {
    const made = await run('account create', { email: 'new@example.com' }, byPerson('support'))
    expect(made).toMatchObject({ credit_usd: '0.00', credit_is_trial: false, balance_usd: '0.00' })
    expect(await run('account create', { name: 'new' }, byPerson('admin'))).toMatchObject({ credit_usd: '10.00' })
  })

  test.each<[string, string]>([
    ['default', 'allowed'],
    ['cheap', 'allowed'],
    ['hidden', 'allowed'],
    ['staff', 'forbidden'],
    ['free', 'forbidden'],
    ['own', 'forbidden'],
  ])('keys get no price that the account may not choose: %s is %s', async (group, expected) => {
    const { account, key } = objects.nobody
    const acts: [string, object][] = [
      ['key create', { account, name: 'k', group }],
      ['key limit', { key, group, name: 'k2' }],
    ]
    for (const [name, input] of acts) {
      expect([name, await outcome(byPerson('support'), name, input)]).toEqual([name, expected])
      expect([name, await outcome(byKey('admin'), name, input)]).toEqual([name, 'allowed'])
    }
    const bulk = await outcome(byPerson('support'), 'key bulk', { keys: [key], act: 'edit', terms: { group } })
    expect(bulk === 'allowed').toBe(expected === 'allowed')
  })

  test('a group that names an owner of the account is one that the account may choose', async () => {
    const account = { account: 'second-nobody@example.com', name: 'k', group: 'staff' }
    expect(await outcome(byPerson('support'), 'key create', account)).toBe('allowed')
  })

  test('a key stays in the group that it is in', async () => {
    const { account } = objects.nobody
    const { key } = await run<{ key: { id: string } }>('key create', { account, name: 'free', group: 'free' })
    expect(await outcome(byPerson('support'), 'key limit', { key: key.id, group: 'free', name: 'x' })).toBe('allowed')
    expect(await outcome(byPerson('support'), 'key rotate', { key: key.id })).toBe('allowed')
  })

  test('imports need it', async () => {
    expect(await outcome(byPerson('support'), 'account import', { rows: [] })).toBe('forbidden')
  })
})
