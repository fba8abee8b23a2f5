// What only a running server knows of itself, and whether the stored secrets can be read: for `doctor`.
import { readdirSync } from 'node:fs'
import { descriptorLimit } from '@trivium/http/system/descriptors.ts'
import type { Reference } from '../../config/secrets/references.ts'
import { fileInForce } from '../../config/watch.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import { opensSecret } from '../configuration/secrets.ts'
import { checkedTables } from '../doctor/tables.ts'
import { operation } from '../operation.ts'

export type ServerState = {
  ready: boolean
  /** What keeps it from being ready, where that is known. */
  faults: string[]
  /** By its own clock and by that of the store, in milliseconds since 1970. */
  time: number
  store_time: number
  database_ms: number
  descriptors: { limit: number; open: number | null }
  /** The file in force, null if there is none, and why the one on disk is not in force, if it is not. */
  configuration: { file: string | null; problem: string | null; references?: readonly Reference[] }
}

export const showServerState = operation({
  name: 'server state',
  permission: 'see',
  input: NOTHING,
  async run({ storage, config, configuration, readiness, server }): Promise<ServerState> {
    const begun = performance.now()
    await storage.ping()
    const databaseMs = Math.round(performance.now() - begun)
    const { ready, faults } = readiness?.() ?? { ready: false, faults: [] }
    return {
      ready,
      faults,
      time: Date.now(),
      store_time: storage.now(),
      database_ms: databaseMs,
      descriptors: { limit: descriptorLimit(), open: openDescriptors() },
      configuration: {
        file: (server && fileInForce(server.environment, config)) ?? null,
        problem: server?.reload.problem ?? null,
        references: configuration?.assembled().references ?? [],
      },
    }
  },
})

/** null where the system does not tell. */
function openDescriptors(): number | null {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return null
  }
}

/** Checks the tables of a database that only the server has open. */
export const checkTables = operation({
  name: 'tables check',
  permission: 'see',
  input: NOTHING,
  run: async ({ storage }): Promise<{ note: string }> => ({ note: await checkedTables(storage) }),
})

const PAGE = 500

/** `unreadable`: ids of people; `unreadableEntries`: of secrets of the stored configuration. */
export type SecretsFound = { checked: number; unreadable: string[]; unreadableEntries: string[] }

/** Second factors and secrets of the stored configuration are kept for years under the master secret. */
export const checkSecrets = operation({
  name: 'secrets check',
  permission: 'people',
  input: NOTHING,
  async run({ storage: { signIns, configuration }, accountCipher }): Promise<SecretsFound> {
    const cipher = await accountCipher()
    const unreadable: string[] = []
    const unreadableEntries: string[] = []
    let checked = 0
    for (let after = 0n; ; ) {
      const page = await signIns.secondFactors(after, PAGE)
      for (const { person, secret } of page)
        if (!cipher.decrypt(person, 'second factors', secret, new Uint8Array())) unreadable.push(String(person))
      checked += page.length
      after = page.at(-1)?.person ?? after
      if (page.length < PAGE) break
    }
    for (let after = ''; ; ) {
      const page = await configuration.secrets(after, PAGE)
      for (const { id, sealed } of page) if (!opensSecret(id, sealed, cipher)) unreadableEntries.push(id)
      checked += page.length
      after = page.at(-1)?.id ?? after
      if (page.length < PAGE) return { checked, unreadable, unreadableEntries }
    }
  },
})
