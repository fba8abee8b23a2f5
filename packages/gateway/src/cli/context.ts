// What commands get from the composition root.
import type { Environment, FileConfig } from '../config/types.ts'
import type { Storage } from '../storage/storage.ts'

export type CommandContext = {
  version: string
  /** Throws a CommandError that lists every mistake. */
  environment(): Environment
  /** `mayBeEmpty` false: an empty file is a mistake, as it is for a running server. */
  config(environment: Environment, options?: { mayBeEmpty: boolean }): FileConfig
  /**
   * Opened, and known to belong to the master secret. Only a server may create a database: for everything else a missing one
   * is a CommandError that names the place.
   */
  openStorage(environment: Environment, options?: { mayCreate: boolean }): Promise<Storage>
  /** Engine and place, without a user, a password or options. */
  describeDatabase(environment: Environment): string
  serve(): Promise<void>
}
