// Whether the tables of the database are those that its version should have.

import { formatRequestId } from '../../request/ids.ts'
import { programVersion } from '../../storage/migrations/migrations.ts'
import { inShort } from '../../storage/migrations/verify.ts'
import { monthName, type Storage } from '../../storage/storage.ts'

/** The version, and which months are sealed, in words. Throws what differs. */
export async function checkedTables(storage: Storage): Promise<string> {
  const differences = await storage.tableDifferences()
  if (differences.length > 0) throw new Error(`its tables are not those of their version: ${inShort(differences)}`)
  return `tables of version ${programVersion()}\n${await describeMonths(storage)}${await describeArchive(storage)}`
}

async function describeArchive({ archive }: Pick<Storage, 'archive'>): Promise<string> {
  const { until, files, rows, bytes } = await archive.state()
  if (until === undefined) return ''
  return `\narchived months of the ledger: the last is ${monthName(until)}; ${files} files with ${rows} rows, ${bytes} bytes`
}

async function describeMonths({ months }: Pick<Storage, 'months'>): Promise<string> {
  const { sealed, until, due, blocking } = await months.state()
  const done =
    until === undefined
      ? 'no month of the ledger is sealed yet'
      : `sealed months of the ledger: ${sealed}, the last is ${monthName(until)}`
  if (due === undefined) return done
  const next = `${done}; ${monthName(due)} is next`
  if (!blocking) return next
  const why =
    blocking.state === 'open'
      ? 'is still open'
      : 'was reaped, and its owner may still return: for 30 days after the month'
  return `${next}, but its request ${formatRequestId(blocking.request)} ${why}`
}
