// What the composition root provides to commands.
import type { Environment, FileConfig } from '../config/types.ts'
import type { Damage, Storage } from '../storage/storage.ts'

export type CommandContext = {
  version: string
  /** Throws a CommandError that lists every mistake. */
  environment(): Environment
  /** `mayBeEmpty` false: an empty file is a mistake, as for a running server. */
  config(environment: Environment, options?: { mayBeEmpty: boolean }): FileConfig
  /**
   * Opens the store and verifies the master secret. Only a server may create a database: for other commands a missing one
   * is a CommandError that names its location. With `onDamage` damaged files that the ledger does not need are moved aside.
   */
  openStorage(
    environment: Environment,
    options?: { mayCreate: boolean; onDamage?: (damage: Damage) => void },
  ): Promise<Storage>
  /** The secret that the store was created with. */
  masterSecret(environment: Environment, storage: Storage): Promise<string>
  /** Engine and location, without user, password or options. */
  describeDatabase(environment: Environment): string
  serve(): Promise<void>
}
