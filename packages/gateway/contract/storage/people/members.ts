// People, the accounts that they are members of, and what ends with a membership.
import { expect, test } from 'bun:test'
import { CREDIT, TRIAL } from '../../../src/money/ledger.ts'
import { endOf } from '../../../src/money/limits.ts'
import type { GatewayRole, Person, Storage } from '../../../src/storage/storage.ts'
import {
  charged,
  extend,
  hold,
  newHash,
  newHolder,
  newKey,
  newNode,
  result,
  settle,
  thrownBy,
  type Use,
} from '../harness.ts'

const UNKNOWN = 987_654_321n

async function begin(storage: Storage, person: bigint, expiresAt: number) {
  const hash = newHash()
  const session = await storage.sessions.create({ person, hash, expiresAt, userAgent: '', address: '' })
  return session && { id: session.id, hash }
}

export function membersContract(use: Use): void {
  const tomorrow = () => use().now() + 86_400_000

  test('a person is entered without an account, once, with the address proved', async () => {
    const { storage, now } = use()
    const person = await storage.people.create(' Grace@Example.com ', 'hash')
    expect(person).toEqual({
      id: person?.id ?? 0n,
      email: 'grace@example.com',
      role: undefined,
      disabled: false,
      createdAt: now(),
      signedInAt: undefined,
      isProved: true,
    })
    expect(await storage.people.create('grace@example.com')).toBeUndefined()
    expect(await storage.accounts.create('grace@example.com', 5n, TRIAL)).toBeUndefined()
    expect(await storage.people.find('GRACE@example.com')).toEqual(person)
    expect(await storage.people.list()).toEqual([person as Person])
    expect(await storage.signIns.find('grace@example.com')).toMatchObject({ password: 'hash' })
    expect(await storage.accounts.list()).toEqual([])
    expect(await begin(storage, person?.id ?? 0n, tomorrow())).toBeUndefined()
  })

  test('a role in the gateway is given and taken away', async () => {
    const { storage } = use()
    const { person, email } = await newHolder(storage)
    const roles: (GatewayRole | undefined)[] = []
    for (const role of ['viewer', 'admin', undefined] as const) {
      expect(await storage.people.setRole(person, role)).toBe(true)
      roles.push((await storage.people.find(email))?.role)
    }
    expect(roles).toEqual(['viewer', 'admin', undefined])
    const wrong = storage.people.setRole(person, 'emperor' as GatewayRole)
    expect(await thrownBy(wrong)).toBeInstanceOf(Error)
  })

  test('the last owner stays, also if all owners are taken their role or disabled at once', async () => {
    const { storage } = use()
    const owners = await Promise.all(Array.from({ length: 6 }, () => newHolder(storage)))
    for (const { person } of owners) expect(await storage.people.setRole(person, 'owner')).toBe(true)
    const taken = await Promise.all(
      owners.map(({ person }, index) =>
        index % 2 === 0 ? storage.people.setRole(person, 'admin') : storage.people.setDisabled(person, true),
      ),
    )
    expect(taken.filter((done) => !done)).toHaveLength(1)
    const [last, ...others] = (await storage.people.list()).filter(
      ({ role, disabled }) => role === 'owner' && !disabled,
    )
    expect(others).toEqual([])
    const person = last?.id ?? 0n
    expect(await storage.people.setRole(person, undefined)).toBe(false)
    expect(await storage.people.setDisabled(person, true)).toBe(false)
    expect(await storage.people.setRole(person, 'owner')).toBe(true)
  })

  test('an account without people has its credit and a name, which others may have too', async () => {
    const { storage } = use()
    const account = await storage.accounts.createNamed('nightly', 7n, CREDIT)
    expect(account).toMatchObject({ name: 'nightly', balance: 7n })
    const other = await storage.accounts.createNamed('other', 0n, CREDIT)
    await storage.accounts.rename(other.id, 'nightly')
    expect((await storage.accounts.findNamed('nightly')).map(({ id }) => id)).toEqual([account.id, other.id])
    expect(await storage.members.list(account.id)).toEqual([])
    expect(await storage.accounts.holder(account.id)).toEqual({ account: account.id, emails: [], groups: [] })
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, accounts: 2, transfers: 1 })
  })

  test('a person joins accounts, with a role in each', async () => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    const before = await storage.keys.changeCounter()
    expect(await storage.members.set(ada.account, bob.person, 'member')).toBe('done')
    expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    const owner = {
      account: ada.account,
      person: ada.person,
      email: ada.email,
      role: 'owner',
      gatewayRole: undefined,
      byOperator: false,
      cap: undefined,
      tags: [],
    } as const
    const member = {
      account: ada.account,
      person: bob.person,
      email: bob.email,
      role: 'member',
      gatewayRole: undefined,
      byOperator: false,
      cap: undefined,
      tags: [],
    } as const
    expect(await storage.members.list(ada.account)).toEqual([owner, member])
    const accounts = (await storage.members.accountsOf(bob.person)).map(({ account, role }) => [account.id, role])
    expect(accounts).toEqual([
      [ada.account, 'member'],
      [bob.account, 'owner'],
    ])
    expect(await storage.accounts.holder(ada.account)).toEqual({
      account: ada.account,
      emails: [ada.email],
      groups: [],
    })
    expect(await storage.members.set(ada.account, bob.person, 'owner')).toBe('done')
    expect((await storage.accounts.holder(ada.account)).emails).toEqual([ada.email, bob.email])
    expect(await storage.members.set(UNKNOWN, bob.person, 'owner')).toBe('unknown')
    expect(await storage.members.set(ada.account, UNKNOWN, 'owner')).toBe('unknown')
  })

  test('a person whose address is not proved joins nothing, and is no named owner', async () => {
    const { storage } = use()
    const ada = await newHolder(storage)
    const signedUp = await storage.accounts.signUp({
      email: 'claimed@example.com',
      password: undefined,
      network: '192.0.2.1',
      wideNetwork: '192.0.2.0/24',
      mostPerNetwork: 3,
      wideTrials: 1,
      trialCredit: 0n,
      budget: 0n,
      source: TRIAL,
      onProof: false,
    })
    if (typeof signedUp === 'string') throw new Error(signedUp)
    expect(await storage.members.set(ada.account, signedUp.person.id, 'member')).toBe('unproved')
    expect((await storage.accounts.holder(signedUp.account.id)).emails).toEqual([])
    await storage.signIns.proveAddress(signedUp.person.id, { verified: false, isHolder: true })
    expect((await storage.accounts.holder(signedUp.account.id)).emails).toEqual(['claimed@example.com'])
    expect(await storage.members.set(ada.account, signedUp.person.id, 'member')).toBe('done')
  })

  test('a session shows the oldest account first, and switches to those of its person alone', async () => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    await storage.members.set(ada.account, bob.person, 'member')
    const session = await begin(storage, bob.person, tomorrow())
    if (!session) throw new Error('the session did not begin')
    const shown = async () => {
      const { account, role, person } = (await storage.sessions.find(session.hash)) ?? {}
      return [account?.id, role, person?.id]
    }
    expect(await shown()).toEqual([ada.account, 'member', bob.person])
    expect(await storage.sessions.switchAccount(session.id, bob.account)).toBe(true)
    expect(await shown()).toEqual([bob.account, 'owner', bob.person])
    const foreign = await newHolder(storage)
    expect(await storage.sessions.switchAccount(session.id, foreign.account)).toBe(false)
    expect(await storage.sessions.switchAccount(session.id, UNKNOWN)).toBe(false)
    expect(await shown()).toEqual([bob.account, 'owner', bob.person])
  })

  test.each([
    { keepsKeys: false, usable: ['theirs elsewhere', 'of the owner', 'built in'] },
    { keepsKeys: true, usable: ['theirs', 'theirs elsewhere', 'of the owner', 'built in'] },
  ])('who is removed loses the account at once, and the keys made there unless they are kept: %p', async (removal) => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    await storage.members.set(ada.account, bob.person, 'member')
    const [ended, kept] = [await begin(storage, bob.person, tomorrow()), await begin(storage, bob.person, tomorrow())]
    await storage.sessions.switchAccount(kept?.id ?? 0n, bob.account)
    const theirs = { person: bob.person, madeBy: 'console' } as const
    await newKey(storage, ada.account, { ...theirs, name: 'theirs' })
    await newKey(storage, bob.account, { ...theirs, name: 'theirs elsewhere' })
    await newKey(storage, ada.account, { person: ada.person, madeBy: 'console', name: 'of the owner' })
    await newKey(storage, ada.account, { ...theirs, purpose: 'playground', name: 'built in' })
    const before = await storage.keys.changeCounter()
    expect(await storage.members.remove(ada.account, bob.person, removal)).toBe(true)
    expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    expect(await storage.members.remove(ada.account, bob.person, removal)).toBe(false)
    expect(await storage.sessions.find(ended?.hash ?? newHash())).toBeUndefined()
    expect(await storage.sessions.find(kept?.hash ?? newHash())).toBeDefined()
    expect(await storage.sessions.switchAccount(kept?.id ?? 0n, ada.account)).toBe(false)
    const keys = [...(await storage.keys.list(ada.account)), ...(await storage.keys.list(bob.account))]
    const usable = keys.filter(({ deleted }) => !deleted).map(({ name }) => name)
    expect(usable.sort()).toEqual([...removal.usable].sort())
  })

  test('a cap is for members alone, and goes with the membership', async () => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    const cap = { cap: 500n, capPeriod: 'month' } as const
    const setCap = (person: bigint) => storage.members.setCap(ada.account, person, cap)
    const capOf = async () => (await storage.members.list(ada.account)).find(({ email }) => email === bob.email)?.cap
    expect([await setCap(bob.person), await setCap(ada.person)]).toEqual([false, false])
    await storage.members.set(ada.account, bob.person, 'member')
    expect(await storage.members.standing(ada.account, bob.person)).toBeUndefined()
    const before = await storage.keys.changeCounter()
    expect([await setCap(bob.person), await capOf()]).toEqual([true, cap])
    expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    expect(await storage.members.standing(ada.account, bob.person)).toEqual({ ...cap, spentUnderCap: 0n, held: 0n })
    await storage.members.set(ada.account, bob.person, 'member')
    expect(await capOf()).toEqual(cap)
    await storage.members.set(ada.account, bob.person, 'owner')
    expect(await capOf()).toBeUndefined()
    await storage.members.set(ada.account, bob.person, 'member')
    await setCap(bob.person)
    await storage.members.remove(ada.account, bob.person)
    await storage.members.set(ada.account, bob.person, 'member')
    expect(await capOf()).toBeUndefined()
    const wrong = storage.members.setCap(ada.account, bob.person, { cap: -1n, capPeriod: 'day' })
    expect(await thrownBy(wrong)).toBeInstanceOf(RangeError)
  })

  test('the tags of a member come with their keys, and go with the membership', async () => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    const [plain, tagged] = [newHash(), newHash()]
    const before = await storage.keys.changeCounter()
    await storage.members.set(ada.account, bob.person, 'member', { tags: ['env=dev', 'team=search'] })
    expect(await storage.keys.changeCounter()).toBeGreaterThan(before)
    const theirs = { person: bob.person, madeBy: 'console' } as const
    await newKey(storage, ada.account, { ...theirs, hash: plain })
    await newKey(storage, ada.account, { ...theirs, hash: tagged, tags: ['team=ads'], areTagsLocked: true })
    const elsewhere = newHash()
    await newKey(storage, bob.account, { ...theirs, hash: elsewhere })
    const tagsOf = async (hash: Uint8Array) => (await storage.keys.findCaller(hash))?.tags
    const ofMember = ['env=dev', 'team=search']
    expect(await tagsOf(plain)).toEqual({ tags: [], areLocked: false, ofMember })
    expect(await tagsOf(tagged)).toEqual({ tags: ['team=ads'], areLocked: true, ofMember })
    expect(await tagsOf(elsewhere)).toBeUndefined()
    await storage.members.set(ada.account, bob.person, 'owner')
    expect((await storage.members.list(ada.account)).find(({ person }) => person === bob.person)?.tags).toEqual(
      ofMember,
    )
    await storage.members.set(ada.account, bob.person, 'member', { tags: [] })
    expect(await tagsOf(plain)).toBeUndefined()
    await storage.members.set(ada.account, bob.person, 'member', { tags: ['x'] })
    await storage.members.remove(ada.account, bob.person, { keepsKeys: true })
    expect(await tagsOf(plain)).toBeUndefined()
    expect(await tagsOf(tagged)).toEqual({ tags: ['team=ads'], areLocked: true })
  })

  test('members with a cap are listed in pages, of one account or of all', async () => {
    const { storage } = use()
    const [ada, bob, grace] = [await newHolder(storage), await newHolder(storage), await newHolder(storage)]
    const cap = { cap: 5n, capPeriod: 'day' } as const
    for (const person of [bob.person, grace.person]) await storage.members.set(ada.account, person, 'member', { cap })
    await storage.members.set(bob.account, grace.person, 'member', { cap })
    await storage.members.set(grace.account, bob.person, 'member')
    const all = [
      { account: bob.account, person: grace.person },
      { account: ada.account, person: grace.person },
      { account: ada.account, person: bob.person },
    ]
    const capped = async (...args: Parameters<typeof storage.members.capped>) =>
      (await storage.members.capped(...args)).map(({ account, person }) => ({ account, person }))
    const [first, second, third] = all
    expect(await capped(undefined, {}, 9)).toEqual(all)
    expect(await capped(ada.account, {}, 9)).toEqual(all.slice(1))
    expect(await capped(undefined, first ? { after: first } : {}, 1)).toEqual(all.slice(1, 2))
    expect(await capped(undefined, second ? { after: second } : {}, 9)).toEqual(all.slice(2))
    expect(await capped(undefined, third ? { before: third } : {}, 1)).toEqual(all.slice(1, 2))
    expect(await capped(undefined, { before: { account: 0n, person: 0n } }, 2)).toEqual(all.slice(1))
  })

  test('the keys of a member share the cap, also deleted ones and what was spent before; it renews', async () => {
    const opened = use()
    const { storage } = opened
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    const [ada, bob, node] = [await newHolder(storage), await newHolder(storage), await newNode(storage)]
    await storage.members.set(ada.account, bob.person, 'member')
    const walletOf = async (person: bigint) => {
      const { id: key } = await newKey(storage, ada.account, { person, madeBy: 'console' })
      return { account: ada.account, key, email: '' }
    }
    const [deleted, one, other] = [await walletOf(bob.person), await walletOf(bob.person), await walletOf(bob.person)]
    const owners = await walletOf(ada.person)
    const { ledger, members } = storage
    await ledger.apply(hold(1n, deleted, node))
    await ledger.apply(settle(1n, node, 70n))
    await storage.keys.delete(deleted.key)
    await ledger.apply(hold(2n, one, node))
    await members.setCap(ada.account, bob.person, { cap: 250n, capPeriod: 'day' })
    expect(await members.standing(ada.account, bob.person)).toMatchObject({ spentUnderCap: 70n, held: 100n })
    expect(await ledger.apply(hold(3n, other, node))).toEqual(result('member_cap_reached', 80n))
    expect(await ledger.apply(hold(4n, other, node, { minimum: 1n }))).toEqual(result('done', 80n))
    expect(await ledger.apply(extend(2n, node, { known: 100n }))).toEqual(result('member_cap_reached', 0n))
    // Beyond its hold a request takes what the cap has left, and what others hold stays theirs.
    expect(await ledger.apply(settle(4n, node, 40n))).toEqual(charged(40n))
    expect(await ledger.apply(settle(2n, node, 900n))).toEqual(charged(140n))
    expect(await ledger.apply(hold(5n, one, node, { minimum: 1n }))).toEqual(result('member_cap_reached', 0n))
    // Neither other people of the account nor the same person elsewhere are concerned.
    const elsewhere = {
      ...owners,
      account: bob.account,
      key: (await newKey(storage, bob.account, { person: bob.person })).id,
    }
    for (const [id, wallet] of [[6n, owners] as const, [7n, elsewhere] as const])
      expect(await ledger.apply(hold(id, wallet, node))).toEqual(result('done', 100n))
    await opened.elapse(endOf('day', opened.now()) - opened.now())
    expect(await ledger.apply(hold(8n, one, await newNode(storage)))).toEqual(result('done', 100n))
    await members.setCap(ada.account, bob.person, undefined)
    expect(await members.standing(ada.account, bob.person)).toBeUndefined()
    expect(await storage.ledger.audit()).toMatchObject({ ok: true })
  })

  test('a membership that another process removed is gone for its sessions, too', async () => {
    const { storage, raw } = use()
    const { person, account } = await newHolder(storage)
    const session = await begin(storage, person, tomorrow())
    await raw(`DELETE FROM member WHERE account = ${account}`)
    expect(await storage.sessions.find(session?.hash ?? newHash())).toBeUndefined()
  })

  test('a disabled account stays visible to its people', async () => {
    const { storage } = use()
    const { person, account } = await newHolder(storage)
    const session = await begin(storage, person, tomorrow())
    await storage.accounts.setDisabled(account, true)
    expect(await storage.sessions.find(session?.hash ?? newHash())).toMatchObject({ account: { disabled: true } })
    expect(await begin(storage, person, tomorrow())).toBeDefined()
  })

  test('keys are listed by the person who made them', async () => {
    const { storage } = use()
    const { person, account } = await newHolder(storage)
    await newKey(storage, account, { name: 'of the operator' })
    const own = await newKey(storage, account, { person, madeBy: 'console', name: 'own' })
    expect(own.person).toBe(person)
    for (const name of [undefined, 'o'])
      expect(await storage.keys.page(account, { person, ...(name ? { name } : {}) }, 10)).toEqual({
        keys: [own],
        total: 1,
      })
  })
}
