// Redemption codes that still work.
import { hashSecret } from '../../access/authenticate.ts'
import { MAX_AMOUNT } from '../../money/amount.ts'
import type { FoundCode } from '../installation.ts'
import { integerOf } from '../sources/fields.ts'
import { reportedRows, rowOf } from './columns.ts'
import { bigintOf } from './exact.ts'
import { nanosOfUnits } from './options.ts'
import { cell, DAMAGED, type Reader, timeIn } from './reader.ts'

export const NOT_UNUSED =
  'It is used, disabled, expired or deleted there. It is left out, and works here no more than there.'

export async function* readCodes({ program, database, options, findings, now }: Reader): AsyncIterable<FoundCode> {
  for await (const row of reportedRows(database, 'redemptions', { tables: program.tables, findings })) {
    const [id, key] = [integerOf(row.id), cell(row, 'key')]
    const amount = nanosOfUnits(bigintOf(row.quota) ?? 0n, options)
    const expiresAt = timeIn(row, 'expired_time')
    const isOver = integerOf(row.status) !== 1 || cell(row, 'deleted_at') !== ''
    if (isOver || (expiresAt !== undefined && expiresAt <= now)) {
      findings.add('redemptions', 'exact', NOT_UNUSED, rowOf('redemptions', row))
    } else if (id === undefined || key === '' || amount <= 0n || amount > MAX_AMOUNT) {
      findings.add('redemptions', 'manual', DAMAGED, rowOf('redemptions', row))
    } else {
      yield {
        id: `code:${id}`,
        hash: hashSecret(key),
        lastFour: key.slice(-4),
        name: cell(row, 'name'),
        amount,
        expiresAt,
      }
    }
  }
}
