// What the composition root provides to commands.
import type { MasterSecrets } from '../access/secrets/master-secrets.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import type { Assemble, InForce } from '../operate/configuration/parts.ts'
import type { Source, Target } from '../storage/copying/copy.ts'
import type { Upgrade } from '../storage/migrations/migrations.ts'
import type { Damage, Storage } from '../storage/storage.ts'

/** Where the data are: in a database, else in the folder. */
type Place = Pick<Environment, 'databaseUrl' | 'dataDir'>

export type CommandContext = {
  version: string
  /** The environment, for `${NAME}` in files that a command reads. */
  variables: Readonly<Record<string, string | undefined>>
  /** Throws a CommandError that lists every mistake. `mayLackSecret`: PostgreSQL without a master secret is none. */
  environment(options?: { mayLackSecret: boolean }): Environment
  /** `mayBeEmpty` false: an empty file is a mistake, as for a running server. `withoutVault`: an outage of it must not matter. */
  config(environment: Environment, options?: { mayBeEmpty?: boolean; withoutVault?: boolean }): Promise<FileConfig>
  /** The same with what is stored. */
  configuration(environment: Environment, storage: Storage): Promise<InForce>
  assemble: Assemble
  /**
   * Opens the store and verifies the master secret. Only a server may create a database: for other commands a missing one
   * is a CommandError that names its location. With `onDamage` damaged files that the ledger does not need are moved aside.
   */
  openStorage(
    environment: Environment,
    options?: { mayCreate: boolean; onDamage?: (damage: Damage) => void; onUpgrade?: (upgrade: Upgrade) => void },
  ): Promise<Storage>
  /** The secret that the store was created with, or last rotated to. */
  masterSecrets(environment: Environment, storage: Storage): Promise<MasterSecrets>
  /** Puts the new master secret in force, beside which the old one is accepted. Continues a rotation that was interrupted. */
  beginRotation(environment: Environment, storage: Storage): Promise<MasterSecrets>
  /** Everything in the store is encrypted with the new one. */
  endRotation(storage: Storage, secrets: MasterSecrets): Promise<void>
  /** Engine and location, without user, password or options. */
  describeDatabase(environment: Environment): string
  /** One state of all data, beside a running server. `scratch`: a file to use and remove. `alone`: rejects with FolderInUse beside one. */
  openSource(environment: Place, options: { scratch: string; alone?: boolean }): Promise<Source>
  /** An empty folder or database, for a copy of all data. */
  openTarget(environment: Place): Promise<Target>
  serve(): Promise<void>
}
