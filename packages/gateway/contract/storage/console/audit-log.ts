import { expect, test } from 'bun:test'
import { CREDIT } from '../../../src/money/ledger.ts'
import type { AuditActor, AuditEntry } from '../../../src/storage/storage.ts'
import { keyFields, newAccount, newHash, newKey, thrownBy, type Use } from '../harness.ts'

const ENTRY: AuditEntry & { actor: AuditActor } = {
  actor: { type: 'person', id: '3' },
  address: '203.0.113.7',
  requestId: 0x7fff_0000_0000_0001n,
  action: 'key limit',
  object: 'key/7',
  before: { cap_usd: null, name: 'für "alle"' },
  after: { cap_usd: '5.00' },
  reason: 'invoice 42',
}
const BY_COMMAND: AuditEntry = {
  actor: { type: 'command-line', id: '' },
  address: '',
  requestId: undefined,
  action: 'key delete',
  object: 'key/8',
  before: undefined,
  after: undefined,
  reason: '',
}

export function auditLogContract(use: Use): void {
  test('rows are read as they were written, newest first, in pages and by object and action', async () => {
    const { storage, now } = use()
    await storage.auditLog.add(ENTRY)
    await storage.auditLog.add(BY_COMMAND)
    await storage.auditLog.add({ ...BY_COMMAND, object: 'key/7' })
    const all = await storage.auditLog.page({}, 10)
    expect(all.map(({ object, action }) => [object, action])).toEqual([
      ['key/7', 'key delete'],
      ['key/8', 'key delete'],
      ['key/7', 'key limit'],
    ])
    expect(all[2]).toEqual({ ...ENTRY, object: 'key/7', id: expect.any(BigInt), at: now() })
    expect(all[1]).toMatchObject({ requestId: undefined, before: undefined, after: undefined })
    const [newest, middle] = await storage.auditLog.page({}, 2)
    expect([newest, middle]).toEqual([all[0], all[1]])
    expect(await storage.auditLog.page({ before: middle?.id ?? 0n }, 2)).toEqual(all.slice(2))
    expect(await storage.auditLog.page({ object: 'key/7' }, 10)).toEqual([all[0], all[2]].map((row) => row as never))
    expect(await storage.auditLog.page({ action: 'key limit' }, 10)).toEqual(all.slice(2))
  })

  test('a write that takes effect has its row in the same transaction; one that does not has none', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 100n)
    const audited = storage.audited(ENTRY)
    expect(await audited.accounts.credit(account.id, -200n, 'too much')).toBe(false)
    expect(await audited.keys.delete(999n)).toBe(false)
    expect(await storage.auditLog.page({}, 10)).toEqual([])
    expect(await audited.accounts.credit(account.id, -50n, 'back')).toBe(true)
    expect(await storage.auditLog.page({}, 10)).toHaveLength(1)
    // The row cannot be written: neither is the change.
    const broken = { ...ENTRY, actor: { type: 'nobody' as 'person', id: '' } }
    expect(await thrownBy(storage.audited(broken).accounts.credit(account.id, 1n, 'never'))).toBeInstanceOf(Error)
    expect((await storage.accounts.find(account.id))?.balance).toBe(50n)
  })

  test('what a write creates is named by its id', async () => {
    const { storage } = use()
    const object = { account: 'Bob@example.com' }
    const account = await storage.audited({ ...ENTRY, object }).accounts.create('bob@example.com', 0n, CREDIT)
    const hash = newHash()
    const { keys } = storage.audited({ ...ENTRY, object: { key: hash } })
    const key = await keys.createWithin(keyFields(account?.id ?? 0n, { hash }), 1)
    expect(await keys.createWithin(keyFields(account?.id ?? 0n), 1)).toBeUndefined()
    const rows = await storage.auditLog.page({}, 10)
    expect(rows.map((row) => row.object)).toEqual([`key/${key?.id}`, `account/${account?.id}`])
    // A person who signs up is the actor, too.
    const entry = { ...ENTRY, actor: { email: 'Eve@example.com' }, object: { account: 'eve@example.com' } }
    const eve = await storage.audited(entry).accounts.create('eve@example.com', 0n, CREDIT)
    const person = await storage.people.find('eve@example.com')
    const [row] = await storage.auditLog.page({}, 1)
    expect([row?.actor, row?.object]).toEqual([{ type: 'person', id: String(person?.id) }, `account/${eve?.id}`])
  })

  test('this process hears of an audited change, too', async () => {
    const { storage } = use()
    const key = await newKey(storage, (await newAccount(storage)).id)
    let heard = 0
    storage.onChange(() => heard++)
    await storage.audited(ENTRY).keys.delete(key.id)
    expect(heard).toBe(1)
  })

  test('a row cannot be changed or removed before it is too old', async () => {
    const { storage, raw, elapse, now } = use()
    await storage.auditLog.add(ENTRY)
    for (const statement of ["UPDATE audit_log SET reason = ''", 'DELETE FROM audit_log'])
      expect(String(await thrownBy(raw(statement)))).toContain('append-only')
    await elapse(1_000)
    const since = now()
    await storage.auditLog.add(BY_COMMAND)
    await storage.auditLog.add(BY_COMMAND)
    const sweep = (before: number, limit: number) =>
      storage.auditLog.sweep(before, limit, (removed) => ({ ...BY_COMMAND, action: 'swept', before: { removed } }))
    expect(await sweep(since, 10)).toBe(1)
    expect(await sweep(since, 10)).toBe(0)
    const left = await storage.auditLog.page({}, 10)
    expect(left.map(({ action, before }) => [action, before?.removed])).toEqual([
      ['swept', 1],
      [BY_COMMAND.action, undefined],
      [BY_COMMAND.action, undefined],
    ])
    expect(String(await thrownBy(raw('DELETE FROM audit_log')))).toContain('append-only')
    expect(await sweep(since + 1, 1)).toBe(1)
    expect(await storage.auditLog.page({ action: BY_COMMAND.action }, 10)).toHaveLength(1)
  })
}
