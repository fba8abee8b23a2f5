import { expect, test } from 'bun:test'
import type { AuditEntry, EntryChange, NewStoredSecret, Storage } from '../../../src/storage/storage.ts'
import { thrownBy, type Use } from '../harness.ts'

const ENTRY: AuditEntry = {
  actor: { type: 'admin-key', id: '4' },
  address: '203.0.113.7',
  requestId: 0x7fff_0000_0000_0001n,
  action: 'upstream create',
  object: 'upstream/main',
  before: undefined,
  after: { kind: 'openai' },
  reason: 'invoice 42',
}
const UPSTREAM = { kind: 'openai', keys: [{ $secret: 'sec_1' }] }
const SECRET: NewStoredSecret = {
  id: 'sec_1',
  owner: 'upstream/main',
  sealed: new Uint8Array([1, 2, 3]),
  fingerprint: 'hmac:abc',
  lastFour: 'wxyz',
}

const change = (id: string, before: unknown, after: unknown): EntryChange => ({ kind: 'upstream', id, before, after })
const writing = (storage: Storage, entry = ENTRY) => storage.audited(entry).configuration
const numbers = (rows: readonly { revision: number }[]) => rows.map(({ revision }) => revision)

export function configurationContract(use: Use): void {
  test('a value that is no JSON is shown as such, among those that are, and can be deleted', async () => {
    const { storage, raw } = use()
    const [main, other] = [change('main', undefined, UPSTREAM), change('other', undefined, UPSTREAM)]
    await writing(storage).write(0, [main, other])
    await raw(`UPDATE stored_entry SET value = 'oops{' WHERE id = 'main'`)
    await raw(`UPDATE configuration_change SET after = '' WHERE id = 'main'`)
    const unreadable = { $unreadable: 'oops{' }
    const values = async () => (await storage.configuration.read()).entries.map(({ id, value }) => [id, value])
    expect(await values()).toEqual([
      ['main', unreadable],
      ['other', UPSTREAM],
    ])
    expect((await storage.configuration.find(1))?.changes).toMatchObject([{ after: { $unreadable: '' } }, other])
    expect(await storage.configuration.changesSince(0)).toMatchObject([{ id: 'main', after: unreadable }, other])
    expect(await writing(storage).write(1, [change('main', unreadable, undefined)])).toBe(true)
    expect(await values()).toEqual([['other', UPSTREAM]])
  })

  test('what a damaged value was before is known from the revision that wrote it', async () => {
    const { storage, raw } = use()
    const changed = { ...UPSTREAM, kind: 'anthropic' }
    await writing(storage).write(0, [change('main', undefined, UPSTREAM), change('other', undefined, UPSTREAM)])
    await writing(storage).write(1, [change('main', UPSTREAM, changed)])
    await raw(`UPDATE stored_entry SET value = 'oops{'`)
    const unreadable = { $unreadable: 'oops{' }
    const ids = ['main', 'other']
    await writing(storage).write(
      2,
      ids.map((id) => change(id, unreadable, undefined)),
    )
    const before = async (revision: number) =>
      (await storage.configuration.changesSince(revision)).map((each) => [each.id, each.before])
    expect(await before(2)).toEqual([
      ['main', changed],
      ['other', UPSTREAM],
    ])
    expect(await before(1)).toEqual([
      ['main', UPSTREAM],
      ['other', UPSTREAM],
    ])
    expect(await before(0)).toEqual(ids.map((id) => [id, undefined]))
    // A row that no revision wrote, and one whose history is damaged, too.
    await raw(`UPDATE configuration_change SET before = 'oops{' WHERE id = 'main' AND revision = 1`)
    expect(await before(0)).toEqual(ids.map((id) => [id, undefined]))
    await raw(`UPDATE configuration_change SET after = 'oops{' WHERE id = 'main' AND revision = 2`)
    expect(await before(2)).toEqual([
      ['main', unreadable],
      ['other', UPSTREAM],
    ])
  })

  test('a revision has its changes, entries, secrets, author and the row of the audit log', async () => {
    const { storage, now } = use()
    expect(await storage.configuration.read()).toEqual({ revision: 0, entries: [], secrets: [] })
    let heard = 0
    storage.onChange(() => heard++)
    const counter = await storage.keys.changeCounter()
    expect(await writing(storage).write(0, [change('main', undefined, UPSTREAM)], [SECRET])).toBe(true)
    expect(heard).toBe(1)
    expect(await storage.keys.changeCounter()).toBe(counter + 1n)
    expect(await storage.configuration.revision()).toBe(1)
    const secrets = [{ ...SECRET, createdAt: now() }]
    const entries = [{ kind: 'upstream' as const, id: 'main', value: UPSTREAM, revision: 1 }]
    expect(await storage.configuration.read()).toEqual({ revision: 1, entries, secrets })
    const { actor, requestId, action, reason } = ENTRY
    const author = { actor: actor as { type: string; id: string }, requestId, action, reason }
    const revision = { revision: 1, at: now(), ...author }
    expect(await storage.configuration.revisions({}, 10)).toEqual([revision])
    expect(await storage.configuration.find(1)).toEqual({
      ...revision,
      changes: [change('main', undefined, UPSTREAM)],
    })
    expect(await storage.configuration.find(2)).toBeUndefined()
    const more = [change('b', undefined, {}), change('c', undefined, {}), change('main', UPSTREAM, {})]
    await writing(storage).write(1, more)
    await writing(storage).write(2, [change('b', {}, undefined)])
    const named = (id: string, what: string) => ({ kind: 'upstream', id, change: what })
    const summaries = await storage.configuration.summaries([1, 2, 3], 2)
    expect(summaries.map(({ revision, count, first }) => [revision, count, first] as unknown)).toEqual([
      [1, 1, [named('main', 'created')]],
      [2, 3, [named('b', 'created'), named('c', 'created')]],
      [3, 1, [named('b', 'deleted')]],
    ])
    expect((await storage.configuration.summaries([2], 3))[0]?.first[2]).toEqual(named('main', 'changed') as never)
    expect(await storage.configuration.summaries([], 3)).toEqual([])
    expect(await storage.auditLog.page({}, 10)).toHaveLength(3)
  })

  test('of writers who expect the same revision one writes, and of the others nothing', async () => {
    const { storage } = use()
    const names = ['a', 'b', 'c', 'd', 'e']
    const write = (id: string) =>
      writing(storage).write(0, [change(id, undefined, { id })], [{ ...SECRET, id: `sec_${id}` }])
    const written = await Promise.all(names.map(write))
    expect(written.filter(Boolean)).toHaveLength(1)
    const winner = names[written.indexOf(true)] ?? ''
    const { revision, entries, secrets } = await storage.configuration.read()
    expect(revision).toBe(1)
    expect(entries.map(({ id }) => id)).toEqual([winner])
    expect(secrets.map(({ id }) => id)).toEqual([`sec_${winner}`])
    expect(await storage.auditLog.page({}, 10)).toHaveLength(1)
  })

  test('what cannot be written as a whole is not written at all', async () => {
    const { storage } = use()
    const changes = [change('main', undefined, UPSTREAM), { ...change('x', undefined, 1), kind: 'other' as 'model' }]
    expect(await thrownBy(writing(storage).write(0, changes, [SECRET]))).toBeInstanceOf(Error)
    const broken = { ...ENTRY, actor: { type: 'nobody' as 'person', id: '' } }
    expect(await thrownBy(writing(storage, broken).write(0, [change('a', undefined, 1)]))).toBeInstanceOf(Error)
    expect(await storage.configuration.read()).toEqual({ revision: 0, entries: [], secrets: [] })
    expect(await storage.auditLog.page({}, 10)).toEqual([])
  })

  test('entries change and go; what they were at an earlier revision is known', async () => {
    const { storage } = use()
    const [one, two] = [{ v: 1 }, { v: 2 }]
    await writing(storage).write(0, [change('a', undefined, one)])
    await writing(storage).write(1, [change('a', one, two), change('b', undefined, one)])
    await writing(storage).write(2, [change('a', two, undefined)])
    await writing(storage).write(3, [])
    const { revision, entries } = await storage.configuration.read()
    expect([revision, entries.map(({ id, value, revision }) => [id, value, revision])]).toEqual([4, [['b', one, 2]]])
    const since = async (revision: number) =>
      (await storage.configuration.changesSince(revision)).map(({ id, before, after }) => [id, before, after])
    expect(await since(0)).toEqual([
      ['a', undefined, undefined],
      ['b', undefined, one],
    ])
    expect(await since(1)).toEqual([
      ['a', one, undefined],
      ['b', undefined, one],
    ])
    expect(await since(2)).toEqual([['a', two, undefined]])
    expect(await since(3)).toEqual([])
    expect(numbers(await storage.configuration.revisions({}, 3))).toEqual([4, 3, 2])
    expect(numbers(await storage.configuration.revisions({ before: 2 }, 3))).toEqual([1])
    expect(numbers(await storage.configuration.revisions({ after: 1 }, 2))).toEqual([3, 2])
  })

  test('secrets are listed and sealed again; an erased one is empty for good', async () => {
    const { storage } = use()
    const other = { ...SECRET, id: 'sec_2' }
    await writing(storage).write(0, [change('main', undefined, UPSTREAM)], [SECRET, other])
    expect((await storage.configuration.secrets('', 10)).map(({ id }) => id)).toEqual(['sec_1', 'sec_2'])
    expect(await storage.configuration.secrets('sec_1', 10)).toEqual([{ id: 'sec_2', sealed: SECRET.sealed }])
    const next = new Uint8Array([9])
    expect(await storage.configuration.resealSecret('sec_2', new Uint8Array([7]), next)).toBe(false)
    expect(await storage.configuration.resealSecret('sec_2', SECRET.sealed, next)).toBe(true)
    await writing(storage).write(1, [], [], ['sec_1'])
    expect(await storage.configuration.secrets('', 10)).toEqual([{ id: 'sec_2', sealed: next }])
    expect(await storage.configuration.resealSecret('sec_1', SECRET.sealed, next)).toBe(false)
    expect((await storage.configuration.read()).secrets[0]).toMatchObject({ id: 'sec_1', sealed: undefined })
  })
}
