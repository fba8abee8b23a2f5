// Invitations: accepted once, also in a race, until they expire, and never more than allowed.
import { expect, test } from 'bun:test'
import type { NewInvitation } from '../../../src/storage/storage.ts'
import { newHash, newHolder, type Use } from '../harness.ts'

const MOST = { ofAccount: 3, inAll: 7 }

export function invitationsContract(use: Use): void {
  const wanted = (more: Partial<NewInvitation> = {}): NewInvitation => ({
    hash: newHash(),
    role: undefined,
    account: undefined,
    memberRole: undefined,
    email: undefined,
    madeBy: undefined,
    madeByKey: undefined,
    byOperator: true,
    expiresAt: use().now() + 1_000,
    ...more,
  })
  const made = async (more: Partial<NewInvitation> = {}) => {
    const invitation = await use().storage.invitations.create(wanted(more), MOST)
    if (!invitation) throw new Error('too many')
    return invitation
  }

  test('of many who accept at once, one joins', async () => {
    const { storage } = use()
    const { account } = await newHolder(storage)
    const people = await Promise.all(Array.from({ length: 4 }, () => newHolder(storage)))
    const invitation = await made({ account, memberRole: 'member', role: 'viewer' })
    const given = { member: 'member', role: 'viewer', proves: false, needsProof: true } as const
    const outcomes = await Promise.all(
      people.map(({ person }) => storage.invitations.accept(invitation, person, given)),
    )
    expect(outcomes.toSorted()).toEqual(['done', 'ended', 'ended', 'ended'])
    const winner = people[outcomes.indexOf('done')]?.person ?? 0n
    const members = await storage.members.list(account)
    expect(members.map(({ person, role }) => [person, role])).toContainEqual([winner, 'member'])
    expect(members).toHaveLength(2)
    expect((await storage.people.findById(winner))?.role).toBe('viewer')
    expect(await storage.invitations.list({}, 10)).toEqual([])
    expect((await storage.invitations.find({ id: invitation.id }))?.endedAt).toBeDefined()
  })

  test('one that has expired or was revoked is worth nothing; an address must be proved, or is by an operator', async () => {
    const { storage, elapse } = use()
    const { account, person } = await newHolder(storage)
    const signUp = await storage.accounts.signUp({
      email: 'claimed@example.com',
      password: undefined,
      network: '192.0.2.1',
      mostPerNetwork: 10,
      wideNetwork: '192.0.2.0/24',
      wideTrials: 10,
      trialCredit: 0n,
      budget: undefined,
      source: -1n,
      onProof: false,
    })
    if (typeof signUp === 'string') throw new Error(signUp)
    const given = { member: 'member', proves: false, needsProof: true } as const
    const accept = async (more: { proves?: boolean } = {}) =>
      storage.invitations.accept(invitation, signUp.person.id, { ...given, ...more })
    const invitation = await made({ account, memberRole: 'member', email: 'Claimed@Example.com' })
    expect(await storage.invitations.isInvited('claimed@example.com')).toBe(true)
    expect(await accept()).toBe('unproved')
    expect(await storage.members.list(account)).toHaveLength(1)
    expect(await accept({ proves: true })).toBe('done')
    expect((await storage.people.findById(signUp.person.id))?.isProved).toBe(true)
    const [revoked, old] = [await made({ role: 'viewer' }), await made({ role: 'viewer' })]
    expect([await storage.invitations.revoke(revoked.id), await storage.invitations.revoke(revoked.id)]).toEqual([
      true,
      false,
    ])
    await elapse(1_000)
    for (const each of [revoked, old]) expect(await storage.invitations.accept(each, person, given)).toBe('ended')
    expect(await storage.invitations.isInvited('claimed@example.com')).toBe(false)
  })

  test('no more exist than allowed, of an account and in all, those that ended within a day included', async () => {
    const { storage, elapse } = use()
    const { account } = await newHolder(storage)
    const create = (more: Partial<NewInvitation>) => storage.invitations.create(wanted(more), MOST)
    const own = { account, memberRole: 'owner' } as const
    const many = await Promise.all(Array.from({ length: 5 }, () => create(own)))
    expect(many.filter((each) => each !== undefined)).toHaveLength(3)
    const listed = await storage.invitations.list({ account }, 10)
    expect(await storage.invitations.list({ after: listed[2]?.id ?? 0n }, 10)).toEqual(listed.slice(0, 2))
    for (const { id } of listed) await storage.invitations.revoke(id)
    expect(await create(own)).toBeUndefined()
    // Those into no account have the same limit.
    for (const isMade of [true, true, true, false])
      expect((await create({ role: 'viewer' })) !== undefined).toBe(isMade)
    const other = { account: (await newHolder(storage)).account, memberRole: 'member' } as const
    expect([(await create(other)) !== undefined, await create(other)]).toEqual([true, undefined])
    await elapse(2 * 86_400_000)
    expect(await create(own)).toBeDefined()
  })
}
