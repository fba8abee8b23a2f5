// The configuration in its parts, and what operations need of the process that runs them.
import type { Assembled, AssembleResult } from '../../config/assemble.ts'
import type { StoredEntry } from '../../config/stored.ts'

export type ConfigFile = { path: string; bytes: Uint8Array }

/** Entries with their secrets in clear. 0: nothing was ever stored. */
export type Stored = { revision: number; entries: readonly StoredEntry[] }

/**
 * Without a file: the defaults. `strictly`: keys of stored entries whose mistakes are reported; others with mistakes are left out.
 * `fresh`: secrets that are known are read from Vault again.
 */
export type Assemble = (
  file: ConfigFile | undefined,
  stored: Stored,
  options?: { strictly?: ReadonlySet<string> | undefined; fresh?: boolean },
) => Promise<AssembleResult>

/** What a configuration was assembled from. */
export type InForce = { file: ConfigFile | undefined; stored: Stored; assembled: Assembled }

export type ConfigurationParts = {
  /** What is in force in this process, and where it comes from. */
  assembled(): Assembled
  /** The file and the environment of this process with these stored entries. */
  assemble(stored: Stored, strictly?: ReadonlySet<string>): Promise<AssembleResult>
  /** Puts the newest revision in force in this process. */
  refresh(): Promise<void>
}

/** The parts of a process that serves nothing: a command. */
export const partsAlone = ({ file, assembled }: InForce, assemble: Assemble): ConfigurationParts => ({
  assembled: () => assembled,
  assemble: (stored, strictly) => assemble(file, stored, { strictly }),
  refresh: async () => {},
})
