// Identities at providers of sign-ins: bound to people whose address is proved, once, and what they gave last.
import { expect, test } from 'bun:test'
import { newHash, newHolder, type Use } from '../harness.ts'

const ISSUER = 'https://id.example.com'
const SIGN_UP = {
  password: undefined,
  network: '192.0.2.1',
  mostPerNetwork: 10,
  wideNetwork: '192.0.2.0/24',
  wideTrials: 10,
  trialCredit: 0n,
  budget: undefined,
  source: -1n,
  onProof: false,
}

export function identitiesContract(use: Use): void {
  test('a sign-up by a provider is proved, and has its identity at once', async () => {
    const { storage } = use()
    const name = { issuer: ISSUER, subject: 'new' }
    const made = await storage.accounts.signUp({ ...SIGN_UP, email: 'new@example.com', identity: name })
    if (typeof made === 'string') throw new Error(made)
    expect(made.person.isProved).toBe(true)
    expect(await storage.identities.find(name)).toEqual({
      ...name,
      person: made.person.id,
      role: undefined,
      keptRole: undefined,
      groups: [],
    })
    expect((await storage.signIns.findByPerson(made.person.id))?.emailVerifiedAt).toBeDefined()
    expect(
      await storage.accounts.signUp({ ...SIGN_UP, email: 'other@example.com', identity: { ...name } }).catch(String),
    ).toBeString()
    expect(await storage.people.find('other@example.com')).toBeUndefined()
  })

  test('an identity is bound once, and to a person whose address is proved', async () => {
    const { storage } = use()
    const [ada, bob] = [await newHolder(storage), await newHolder(storage)]
    const name = { issuer: ISSUER, subject: 'ada' }
    const made = await storage.accounts.signUp({ ...SIGN_UP, email: 'claimed@example.com' })
    if (typeof made === 'string') throw new Error(made)
    expect(await storage.identities.bind(name, made.person.id)).toBe(false)
    const bound = await Promise.all([ada, bob].map(({ person }) => storage.identities.bind(name, person)))
    expect(bound.toSorted()).toEqual([false, true])
    expect(await storage.identities.bind({ ...name, issuer: 'https://other.example.com' }, bob.person)).toBe(true)
    expect(await storage.identities.find({ issuer: ISSUER, subject: 'nobody' })).toBeUndefined()

    const known = [
      () => storage.identities.hasOwner(['https://other.example.com']),
      () => storage.identities.hasOwner(['https://third.example.com']),
      () => storage.identities.hasOwner([]),
    ]
    const seen = () => Promise.all(known.map((ask) => ask()))
    expect(await seen()).toEqual([false, false, false])
    await storage.people.setRole(bob.person, 'owner')
    expect(await seen()).toEqual([true, false, false])
    await storage.people.setRole(ada.person, 'owner')
    await storage.people.setDisabled(bob.person, true)
    expect(await seen()).toEqual([false, false, false])
  })

  test('what it gives is refreshed at once; the last owner stays one', async () => {
    const { storage } = use()
    const { person, account } = await newHolder(storage)
    const name = { issuer: ISSUER, subject: 'ada' }
    await storage.identities.bind(name, person)
    const identity = { ...name, person, role: undefined, keptRole: undefined, groups: [] }
    const link = { hash: newHash(), purpose: 'setup', person, expiresAt: Date.UTC(2100) } as const
    await storage.signIns.createLink(link)
    expect(
      await storage.identities.refresh(identity, {
        role: 'owner',
        keptRole: 'viewer',
        groups: ['staff'],
        person: { role: 'owner', endsAccess: true },
      }),
    ).toBe(true)
    const owner = { ...identity, role: 'owner' as const, keptRole: 'viewer' as const, groups: ['staff'] }
    expect(await storage.identities.find(name)).toEqual(owner)
    // Who made the link may not have that role.
    expect(await storage.signIns.findLink(link.hash, 'setup')).toBeUndefined()
    expect((await storage.accounts.holder(account)).groups).toEqual(['staff'])
    expect(
      await storage.identities.refresh(owner, {
        role: undefined,
        keptRole: undefined,
        groups: [],
        person: { role: undefined, endsAccess: false },
      }),
    ).toBe(false)
    expect(await storage.identities.find(name)).toEqual(owner)
    expect((await storage.people.findById(person))?.role).toBe('owner')
    expect(await storage.identities.refresh(owner, { role: 'owner', keptRole: undefined, groups: [] })).toBe(true)
    expect((await storage.accounts.holder(account)).groups).toEqual([])
    // The account of a person with a role stays until the role is gone, which takes another owner.
    expect(await storage.accounts.erase(account, { force: true })).toBe(false)
    expect(await storage.people.setRole((await newHolder(storage)).person, 'owner')).toBe(true)
    expect(await storage.people.setRole(person, undefined)).toBe(true)
    expect(await storage.accounts.erase(account, { force: true })).toBe(true)
  })
}
