// What the first proof of an address ends, and the credit that comes with it.
import { describe, expect, test } from 'bun:test'
import { SANDBOX_TRIAL, TRIAL } from '../../../src/money/ledger.ts'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import type { Account, AuditEntry, Person, SignUp, Storage } from '../../../src/storage/storage.ts'
import { hold, newHash, newHolder, newKey, newNode, settle, type Use } from '../harness.ts'

const FAR = Date.UTC(2100, 0, 1)
const EMAIL = 'ada@example.com'
const PERSON: SignUp = {
  email: EMAIL,
  password: 'hash',
  network: '192.0.2.1',
  wideNetwork: '192.0.2.0/24',
  mostPerNetwork: 3,
  wideTrials: 100,
  trialCredit: 10n,
  budget: 100n,
  source: TRIAL,
  onProof: false,
}

async function signedUp(storage: Storage, more: Partial<SignUp> = {}) {
  // So that the ids of person and account differ.
  await storage.accounts.createNamed('without people', 0n, TRIAL)
  const answer = await storage.accounts.signUp({ ...PERSON, ...more })
  if (typeof answer === 'string') throw new Error(answer)
  return answer
}

type Made = { account: Pick<Account, 'id'>; person: Pick<Person, 'id'> }

/** Everything that a browser can leave behind. */
async function leaveTraces(storage: Storage, { account, person }: Made) {
  const hash = newHash()
  const session = { person: person.id, hash, expiresAt: FAR, userAgent: 'a test', address: '192.0.2.1' }
  // A second factor ends the sessions from before it.
  await storage.signIns.setSecondFactor(person.id, { secret: Uint8Array.of(7), recoveryCodes: [newHash()] })
  await storage.sessions.create(session)
  const makers = ['sign-up', 'console', 'command-line', 'first-start'] as const
  const ofPerson = { person: person.id }
  for (const madeBy of makers) {
    const maker = madeBy === 'sign-up' || madeBy === 'console' ? ofPerson : {}
    await newKey(storage, account.id, { ...maker, name: madeBy, madeBy })
  }
  await newKey(storage, account.id, { ...ofPerson, name: 'built in', purpose: 'playground', madeBy: 'console' })
  return { hash }
}

async function traces(storage: Storage, { account, person }: Made, { hash }: { hash: Uint8Array }) {
  const keys = await storage.keys.list(account.id)
  return {
    session: (await storage.sessions.find(hash)) !== undefined,
    secondFactor: (await storage.signIns.findByPerson(person.id))?.secondFactor !== undefined,
    keys: keys.filter(({ deleted }) => !deleted).map(({ name }) => name),
  }
}

const ALL = {
  session: true,
  secondFactor: true,
  keys: ['sign-up', 'console', 'command-line', 'first-start', 'built in'],
}
const OF_OPERATOR = { session: false, secondFactor: false, keys: ['command-line', 'first-start', 'built in'] }

export function proofsContract(use: Use): void {
  describe('the first proof of an address', () => {
    test('ends what unproved sessions made; keys of the operator stay', async () => {
      const { storage } = use()
      const made = await signedUp(storage)
      const person = made.person.id
      expect(made.person.isProved).toBe(false)
      // Those of other people in the account stay.
      const { person: colleague } = await newHolder(storage)
      await storage.members.set(made.account.id, colleague, 'member')
      const left = await leaveTraces(storage, made)
      const colleagues = await newKey(storage, made.account.id, { person: colleague, madeBy: 'console', name: 'other' })
      const before = await storage.keys.changeCounter()
      expect(await storage.signIns.proveAddress(person, { verified: true, isHolder: false })).toBe(true)
      expect(await traces(storage, made, left)).toEqual({
        ...OF_OPERATOR,
        keys: [...OF_OPERATOR.keys, colleagues.name],
      })
      expect(await storage.keys.changeCounter()).not.toBe(before)
      expect((await storage.people.find(EMAIL))?.isProved).toBe(true)
      expect((await storage.signIns.find(EMAIL))?.emailVerifiedAt).toBeNumber()
    })

    test('ends nothing in the browser that is signed in', async () => {
      const { storage } = use()
      const made = await signedUp(storage)
      const left = await leaveTraces(storage, made)
      expect(await storage.signIns.proveAddress(made.person.id, { verified: true, isHolder: true })).toBe(false)
      expect(await traces(storage, made, left)).toEqual(ALL)
      expect((await storage.people.find(EMAIL))?.isProved).toBe(true)
    })

    test('is the only one that ends anything, and an account of the operator needs none', async () => {
      const { storage } = use()
      const signed = await signedUp(storage)
      await storage.signIns.proveAddress(signed.person.id, { verified: false, isHolder: false })
      expect((await storage.signIns.find(EMAIL))?.emailVerifiedAt).toBeUndefined()
      const { account, person } = await newHolder(storage)
      for (const made of [signed, { account: { id: account }, person: { id: person } }]) {
        const left = await leaveTraces(storage, made)
        expect(await storage.signIns.proveAddress(made.person.id, { verified: true, isHolder: false })).toBe(false)
        expect(await traces(storage, made, left)).toEqual(ALL)
      }
      expect((await storage.signIns.find(EMAIL))?.emailVerifiedAt).toBeNumber()
    })

    test('ends a key of the operator whose secret an unproved session has replaced', async () => {
      const { storage } = use()
      const { account, person } = await signedUp(storage)
      const { id } = await newKey(storage, account.id, { hash: newHash(), madeBy: 'command-line' })
      await storage.keys.rotate(id, { hash: newHash(), lastFour: 'abcd', formerUntil: undefined, person: person.id })
      await storage.signIns.proveAddress(person.id, { verified: true, isHolder: false })
      expect((await storage.keys.list(account.id)).map(({ deleted }) => deleted)).toEqual([true])
    })
  })

  describe('trial credit that waits for the proof', () => {
    const TERMS = { budget: 100n, source: TRIAL }
    const entryOf = (account: bigint, credit: bigint): AuditEntry => ({
      actor: { type: 'job', id: 'trial' },
      address: '',
      requestId: undefined,
      action: 'account credit',
      object: `account/${account}`,
      before: undefined,
      after: { credit: String(credit) },
      reason: '',
    })

    test('is granted once, after the proof', async () => {
      const { storage, raw } = use()
      const { account, person, trialCredit, withheld } = await signedUp(storage, { onProof: true })
      expect([trialCredit, withheld]).toEqual([0n, 'unproved'])
      expect(await storage.accounts.grantDueTrial(person.id, TERMS, entryOf)).toBe(0n)
      await storage.signIns.proveAddress(person.id, { verified: true, isHolder: true })
      const granted = await Promise.all([1, 2, 3].map(() => storage.accounts.grantDueTrial(person.id, TERMS, entryOf)))
      expect(granted.sort()).toEqual([0n, 0n, 10n])
      expect(await storage.auditLog.page({}, 5)).toMatchObject([
        { object: `account/${account.id}`, after: { credit: '10' } },
      ])
      expect((await storage.accounts.find(account.id))?.balance).toBe(10n)
      expect(Number((await raw('SELECT given FROM trial_day'))[0]?.given)).toBe(10)
      expect((await storage.ledger.audit()).ok).toBe(true)
    })

    test('waits for a budget', async () => {
      const { storage } = use()
      const { person } = await signedUp(storage, { onProof: true })
      await storage.signIns.proveAddress(person.id, { verified: true, isHolder: true })
      expect(await storage.accounts.grantDueTrial(person.id, { ...TERMS, budget: 9n }, entryOf)).toBe(0n)
      expect(await storage.accounts.grantDueTrial(person.id, { ...TERMS, budget: undefined }, entryOf)).toBe(10n)
    })
  })

  test('unspent trial credit of a source is taken back once; what was spent and other credit stay', async () => {
    const { storage, now } = use()
    const { account } = await signedUp(storage, { source: SANDBOX_TRIAL })
    await storage.accounts.credit(account.id, 25n, 'paid')
    const key = await newKey(storage, account.id)
    const [wallet, node] = [{ account: account.id, key: key.id, email: EMAIL }, await newNode(storage)]
    await storage.ledger.apply(hold(firstIdAt(now()), wallet, node, { amount: 4n, minimum: 4n }))
    await storage.ledger.apply(settle(firstIdAt(now()), node, 4n))
    const real = await signedUp(storage, { email: 'real@example.com' })
    expect(await storage.accounts.takeBackTrials(SANDBOX_TRIAL, 'test')).toEqual({ accounts: 1, amount: 6n })
    expect(await storage.accounts.takeBackTrials(SANDBOX_TRIAL, 'test')).toEqual({ accounts: 0, amount: 0n })
    expect((await storage.accounts.find(account.id))?.balance).toBe(25n)
    expect((await storage.accounts.find(real.account.id))?.balance).toBe(10n)
    expect((await storage.ledger.audit()).ok).toBe(true)
  })
}
