// Data whose tables are not those of their version is left alone: a development build may have made them, and a program that expects
// others would fail later, at some request.
import { type Applied, type Found, MIGRATIONS, WrongSchema } from './migrations.ts'
import { checksumOf, differences, type Objects, objectsOf, type Script } from './objects.ts'

const MOST_NAMED = 5

export const latestOf = (applied: readonly Applied[]): Found => ({
  version: Math.max(0, ...applied.map(({ version }) => version)),
  oldestProgram: Math.max(0, ...applied.map(({ oldestProgram }) => oldestProgram)),
})

/** Whether `verify` needs to know the tables: they were made before checksums were kept. */
export const lacksChecksums = (applied: readonly Applied[]): boolean =>
  applied.some(({ checksum }) => checksum === undefined) && latestOf(applied).version <= MIGRATIONS.length

/** Throws WrongSchema for tables that no release made. `found`: what the store has, where checksums are missing. */
export function verify(applied: readonly Applied[], script: Script, store: string, found: Objects | undefined): void {
  for (const { version, checksum } of applied) {
    const migration = MIGRATIONS.find((each) => each.version === version)
    if (!migration || checksum === undefined || checksum === checksumOf(migration, script)) continue
    throw new WrongSchema(
      `${store}: version ${version} of the tables was made by another build (checksum ${checksum}, this program has ${checksumOf(migration, script)}): use the build that made it`,
    )
  }
  if (!found) return
  const { version } = latestOf(applied)
  const wrong = differencesFrom(version, script, found)
  if (wrong.length === 0) return
  throw new WrongSchema(
    `${store}: the tables are not those of version ${version}: ${inShort(wrong)}. A development build may have made them: use that build`,
  )
}

/** What a store of this version lacks or has besides, in words. The tables of a later version are not known here. */
export const differencesFrom = (version: number, script: Script, found: Objects): string[] =>
  version > MIGRATIONS.length ? [] : differences(objectsOf(MIGRATIONS.slice(0, version), script), found)

export function inShort(wrong: readonly string[]): string {
  const more = wrong.length - MOST_NAMED
  return `${wrong.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What is written beside versions that lack it, once the tables were compared. */
export const missingChecksums = (
  applied: readonly Applied[],
  script: Script,
): { version: number; checksum: string }[] =>
  applied.flatMap(({ version, checksum }) => {
    const migration = MIGRATIONS.find((each) => each.version === version)
    return migration && checksum === undefined ? [{ version, checksum: checksumOf(migration, script) }] : []
  })
