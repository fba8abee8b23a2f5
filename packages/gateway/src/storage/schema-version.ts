// The version of the tables and functions that this program knows. Both engines store it with the data.

/** Raised with every edit of a schema (*.sql). Until 0.1.0 no data is upgraded: a store of another version is rejected. */
export const SCHEMA_VERSION = 17

/** The store has a version that this program cannot use. */
export class WrongSchema extends Error {
  override name = 'WrongSchema'
}

/** Throws for a store of another version. 0: from before versions were stored. `place`: the folder or database to move away. */
export function checkSchemaVersion(version: number, store: string, place: string): void {
  if (version > SCHEMA_VERSION)
    throw new WrongSchema(
      `${store}: the database is at version ${version}, this program knows ${SCHEMA_VERSION}: start the version that wrote it, or a later one`,
    )
  if (version < SCHEMA_VERSION)
    throw new WrongSchema(
      `${place} holds data from before the first release, which is not upgraded. Move it away and start with an empty one.`,
    )
}
