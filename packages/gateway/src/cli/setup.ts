// What commands get from the composition root.
import type { Environment, FileConfig } from '../config/types.ts'
import type { Storage } from '../storage/storage.ts'

export type Setup = {
  version: string
  /** Throws a CommandError that lists every mistake. */
  environment(): Environment
  config(environment: Environment): FileConfig
  /**
   * Opened, and known to belong to the master secret. Only a server may create a database: for everything else a missing one
   * is a CommandError that names the place.
   */
  openStorage(environment: Environment, options?: { mayCreate: boolean }): Promise<Storage>
  serve(): Promise<void>
}
