// What an audit finds in sealed months, and what only a deep one does.
import { expect, test } from 'bun:test'
import { CREDIT, REVENUE } from '../../../src/money/book.ts'
import { firstIdAt } from '../../../src/money/request-ids.ts'
import type { AuditReport } from '../../../src/storage/storage.ts'
import type { Use } from '../harness.ts'
import { DAY, HOUR, type Months, sealAll, threeMonths } from './three-months.ts'

export function sealTamperingContract(use: Use): void {
  const transfer = (request: bigint | 'NULL', debit: bigint, credit: bigint, at: number) =>
    `INSERT INTO transfer (request, debit, credit, amount, reason, at) VALUES (${request}, ${debit}, ${credit}, 5, '', ${at})`

  type Found = Partial<Omit<AuditReport, 'ok'>>
  type Sealed = Months & { first: bigint; began: number }
  type Tampering = {
    name: string
    sql(months: Sealed): string
    audit(months: Sealed): Found
    deep?(months: Sealed): Found
  }
  const tamperings: Tampering[] = [
    {
      name: 'a balance raised',
      sql: ({ wallets: [{ account }] }) => `UPDATE account SET balance = balance + 1 WHERE id = ${account}`,
      audit: ({ wallets: [{ account }] }) => ({ balanceMismatches: [account] }),
    },
    {
      name: 'a sealed balance raised, with that of the account',
      sql: ({ wallets: [{ account }] }) => `UPDATE month_seal_account SET balance = balance + 1
        WHERE account = ${account} AND ends_at = (SELECT max(ends_at) FROM month_seal)`,
      audit: ({ wallets: [{ account }], names }) => ({
        balanceMismatches: [account],
        sealMismatches: [names[2] ?? ''],
      }),
      deep: ({ names }) => ({ sealMismatches: [names[2] ?? ''] }),
    },
    {
      name: 'a row of an earlier seal',
      sql: () => 'UPDATE month_seal_key SET spent = spent - 1 WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[0] ?? ''] }),
      deep: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'a row of a seal removed',
      sql: () => 'DELETE FROM month_seal_account WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[0] ?? ''] }),
      deep: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'the hash of a seal',
      sql: () => `UPDATE month_seal SET hash = 'x' WHERE ends_at = (SELECT min(ends_at) FROM month_seal)`,
      audit: ({ names }) => ({ sealMismatches: names.slice(0, 2) }),
    },
    {
      name: 'an earlier seal removed',
      sql: () => 'DELETE FROM month_seal WHERE ends_at = (SELECT min(ends_at) FROM month_seal)',
      audit: ({ names }) => ({ sealMismatches: [names[1] ?? ''], sealedMonths: 2 }),
    },
    {
      name: 'a credit that is booked into a sealed month',
      sql: ({ wallets: [{ account }], began }) => transfer('NULL', CREDIT, account, began),
      audit: ({ wallets: [{ account }], names }) => ({
        balanceMismatches: [account],
        sealMismatches: [names[2] ?? ''],
      }),
    },
    {
      name: 'a second charge of a sealed request',
      sql: ({ wallets: [{ account }], first, began }) => transfer(first, account, REVENUE, began + 100 * DAY),
      audit: ({ wallets: [{ account }], first }) => ({
        balanceMismatches: [account],
        spendingMismatches: [account],
        requestMismatches: [first],
      }),
    },
    {
      name: 'the receipt of a sealed request, which a deep audit finds',
      sql: ({ first }) => `UPDATE request SET cost = cost - 1 WHERE id = ${first}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account, key }], first, names }) => ({
        spentMismatches: [account],
        keySpentMismatches: [key],
        requestMismatches: [first],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'a sealed request removed, which a deep audit finds',
      sql: ({ first }) => `DELETE FROM request WHERE id = ${first}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account, key }], first, names }) => ({
        spentMismatches: [account],
        keySpentMismatches: [key],
        requestMismatches: [first],
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'an hour of a sealed month, which a deep audit finds',
      sql: ({ wallets: [{ account }], began }) =>
        `UPDATE hourly_spending SET tokens = tokens + 1 WHERE account = ${account} AND outcome = 'failed' AND hour < ${began + HOUR}`,
      audit: () => ({}),
      deep: ({ wallets: [{ account }], names }) => ({
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
    {
      name: 'an open request in a sealed month',
      sql: ({ first }) => `UPDATE request SET state = 0 WHERE id = ${first + 2n}`,
      audit: ({ wallets: [{ account, key }] }) => ({
        heldMismatches: [account],
        keyHeldMismatches: [key],
        openMismatches: [account],
        keyOpenMismatches: [key],
      }),
      deep: ({ wallets: [{ account, key }], names }) => ({
        heldMismatches: [account],
        keyHeldMismatches: [key],
        openMismatches: [account],
        keyOpenMismatches: [key],
        spendingMismatches: [account],
        sealMismatches: [names[0] ?? ''],
      }),
    },
  ]
  for (const { name, sql, audit, deep = audit } of tamperings)
    test(`the audit of sealed months finds ${name}`, async () => {
      const opened = use()
      const { storage, raw } = opened
      const began = opened.now()
      const months = { ...(await threeMonths(opened)), first: firstIdAt(began), began }
      await opened.elapse(DAY)
      await sealAll(storage)
      const clean = await storage.ledger.audit()
      expect(clean).toMatchObject({ ok: true, sealedMonths: 3 })
      await raw(sql(months))
      const counted = ({ requests: _, transfers: __, openHolds: ___, ...report }: AuditReport) => report
      for (const [isDeep, found] of [
        [false, audit(months)],
        [true, deep(months)],
      ] as const) {
        const ok = Object.keys(found).length === 0
        expect(counted(await storage.ledger.audit({ deep: isDeep }))).toEqual(
          counted({ ...clean, ok, isDeep, ...found }),
        )
      }
    })
}
