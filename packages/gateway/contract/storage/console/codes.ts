import { expect, test } from 'bun:test'
import { MAX_AMOUNT } from '../../../src/money/amount.ts'
import { CREDIT } from '../../../src/money/ledger.ts'
import type { NewCode, Storage } from '../../../src/storage/storage.ts'
import { newAccount, newHash, thrownBy, type Use } from '../harness.ts'

const HOUR_MS = 3_600_000

export function codesContract(use: Use): void {
  async function newCode(storage: Storage, fields: Partial<NewCode> = {}): Promise<Uint8Array> {
    const code = { hash: newHash(), amount: 25n, expiresAt: undefined, ...fields }
    await storage.codes.create([code])
    return code.hash
  }
  const balanceOf = async (account: bigint) => (await use().storage.accounts.find(account))?.balance

  test('a code is worth its amount once, booked as a credit', async () => {
    const { storage, raw } = use()
    const account = await newAccount(storage, 0n)
    const hash = await newCode(storage)
    expect(await storage.codes.redeem(account.id, hash)).toEqual({ amount: 25n, balance: 25n })
    expect(await storage.codes.redeem(account.id, hash)).toBe('used')
    expect(await balanceOf(account.id)).toBe(25n)
    const rows = await raw('SELECT debit, credit, amount, reason FROM transfer')
    expect(rows.map((row) => [...Object.values(row).map(String)])).toEqual([
      [String(CREDIT), String(account.id), '25', 'redeemed code'],
    ])
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('of twenty accounts that redeem one code at once, one gets the credit', async () => {
    const { storage } = use()
    const accounts = await Promise.all(Array.from({ length: 20 }, () => newAccount(storage, 0n)))
    const hash = await newCode(storage)
    const answers = await Promise.all(accounts.map(({ id }) => storage.codes.redeem(id, hash)))
    expect(answers.filter((answer) => typeof answer !== 'string')).toEqual([{ amount: 25n, balance: 25n }])
    expect(answers.filter((answer) => answer === 'used')).toHaveLength(19)
    const balances = await Promise.all(accounts.map(({ id }) => balanceOf(id)))
    expect(balances.reduce((sum: bigint, balance) => sum + (balance ?? 0n), 0n)).toBe(25n)
    expect(await storage.ledger.audit()).toMatchObject({ ok: true, transfers: 1 })
  })

  test('of twenty calls of one account for one code at once, one gets the credit', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 0n)
    const hash = await newCode(storage)
    const answers = await Promise.all(Array.from({ length: 20 }, () => storage.codes.redeem(account.id, hash)))
    expect(answers.filter((answer) => answer === 'used')).toHaveLength(19)
    expect(await balanceOf(account.id)).toBe(25n)
  })

  test('several codes of one account at once are all worth their amounts', async () => {
    const { storage } = use()
    const account = await newAccount(storage, 5n)
    const hashes = await Promise.all(Array.from({ length: 20 }, () => newCode(storage)))
    await Promise.all(hashes.map((hash) => storage.codes.redeem(account.id, hash)))
    expect(await balanceOf(account.id)).toBe(505n)
    expect((await storage.ledger.audit()).ok).toBe(true)
  })

  test('a code expires', async () => {
    const { storage, now, elapse } = use()
    const account = await newAccount(storage, 0n)
    const [first, second] = [
      await newCode(storage, { expiresAt: now() + HOUR_MS }),
      await newCode(storage, { expiresAt: now() + HOUR_MS }),
    ]
    await elapse(HOUR_MS - 1)
    expect(await storage.codes.redeem(account.id, first)).toMatchObject({ amount: 25n })
    await elapse(1)
    expect(await storage.codes.redeem(account.id, second)).toBe('expired')
    expect(await storage.codes.redeem(account.id, first)).toBe('used')
  })

  test('what cannot be redeemed changes nothing', async () => {
    const { storage, raw } = use()
    const account = await newAccount(storage, MAX_AMOUNT)
    for (let count = 0; count < 3; count++) await storage.accounts.credit(account.id, MAX_AMOUNT, 'test')
    const hash = await newCode(storage)
    expect(await storage.codes.redeem(account.id, newHash())).toBe('unknown')
    expect(await storage.codes.redeem(account.id, hash)).toBe('too_much')
    expect(await balanceOf(account.id)).toBe(4n * MAX_AMOUNT)
    expect(await raw('SELECT redeemed_by FROM redemption_code')).toEqual([{ redeemed_by: null }])
    await storage.accounts.credit(account.id, -25n, 'test')
    expect(await storage.codes.redeem(account.id, hash)).toEqual({ amount: 25n, balance: 4n * MAX_AMOUNT })
  })

  test('many codes are created at once, or none', async () => {
    const { storage, raw } = use()
    const codes = Array.from({ length: 2_500 }, () => ({ hash: newHash(), amount: 1n, expiresAt: undefined }))
    const count = async () => Number((await raw('SELECT count(*) AS codes FROM redemption_code'))[0]?.codes)
    expect(await thrownBy(storage.codes.create([...codes, ...codes.slice(0, 1)]))).toBeInstanceOf(Error)
    expect(await count()).toBe(0)
    await storage.codes.create(codes)
    await storage.codes.create([])
    expect(await count()).toBe(2_500)
  })

  test('batches by label, newest first, with what became of their codes', async () => {
    const { storage, now, elapse } = use()
    const account = await newAccount(storage, 0n)
    const spring = await newCode(storage, { label: 'spring', expiresAt: now() + HOUR_MS })
    await newCode(storage, { label: 'spring', amount: 5n, expiresAt: now() + HOUR_MS })
    await newCode(storage, { label: 'spring', amount: 3n, expiresAt: now() + 3 * HOUR_MS })
    const revoked = await newCode(storage, { label: 'spring', amount: 2n, expiresAt: now() + HOUR_MS })
    await storage.codes.redeem(account.id, spring)
    await storage.codes.revoke({ hash: revoked })
    await elapse(2 * HOUR_MS)
    for (const label of ['', 'autumn']) await newCode(storage, { label })
    const newest = { createdAt: now(), codes: 1, amount: 25n, redeemed: 0, redeemedAmount: 0n, expiresAt: undefined }
    const open = { ...newest, revoked: 0, expired: 0, open: 1, openAmount: 25n }
    const oldest = {
      label: 'spring',
      createdAt: now() - 2 * HOUR_MS,
      expiresAt: now() + HOUR_MS,
      codes: 4,
      amount: 35n,
      redeemed: 1,
      redeemedAmount: 25n,
      revoked: 1,
      expired: 1,
      open: 1,
      openAmount: 3n,
    }
    const unnamed = { ...open, label: '' }
    const all = [{ ...open, label: 'autumn' }, unnamed, oldest]
    expect(await storage.codes.batches({}, 9)).toEqual(all)
    expect(await storage.codes.batches({ label: 'spring' }, 9)).toEqual([oldest])
    expect(await storage.codes.batches({}, 1)).toEqual(all.slice(0, 1))
    expect(await storage.codes.batches({ before: unnamed }, 9)).toEqual(all.slice(2))
    expect(await storage.codes.batches({ after: oldest }, 1)).toEqual(all.slice(1, 2))
  })

  test('amounts and times that cannot be stored are rejected', async () => {
    const { storage } = use()
    const wrong: Partial<NewCode>[] = [
      { amount: 0n },
      { amount: -1n },
      { amount: MAX_AMOUNT + 1n },
      { expiresAt: Number.NaN },
      { hash: new Uint8Array(31) },
    ]
    for (const fields of wrong) expect(await thrownBy(newCode(storage, fields))).toBeInstanceOf(Error)
  })
}
