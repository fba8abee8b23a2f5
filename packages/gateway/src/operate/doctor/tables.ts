// Whether the tables of the database are those that its version should have.
import { programVersion } from '../../storage/migrations/migrations.ts'
import { inShort } from '../../storage/migrations/verify.ts'
import type { Storage } from '../../storage/storage.ts'

/** The version in words. Throws what differs. */
export async function checkedTables(storage: Storage): Promise<string> {
  const differences = await storage.tableDifferences()
  if (differences.length > 0) throw new Error(`its tables are not those of their version: ${inShort(differences)}`)
  return `tables of version ${programVersion()}`
}
