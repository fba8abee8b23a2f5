// What was read from Vault. It survives outages of Vault, and reloads of the file. Kept in memory alone.
import type { VaultSettings } from './settings.ts'
import { createVaultClient, type VaultClient, VaultDown } from './vault-client.ts'

/** `problem`: why the newest reading failed, so that the value is an older one. */
export type Found = { value: string; problem: string | undefined }
/** Throws with the reason. */
export type LookUp = (settings: VaultSettings, reference: string) => Found

export type Vault = {
  /** Calls `assemble` again until everything that it looks up has been read. `fresh`: also what is known is read again. */
  assembled<R>(assemble: (lookUp: LookUp) => R, fresh?: boolean): Promise<R>
}

type Known = { value?: string; problem?: string | undefined; failedAt?: number | undefined }
type Wanted = { id: string; path: string; key: string }

/** For all secrets together. */
const WITHIN_MS = 10_000
const MOST_SECRETS = 200
const MOST_AT_ONCE = 8
/** What has just failed is not asked for again: a change of the configuration assembles it several times. */
const FAILED_FOR_MS = 5_000
const MOST_CHARACTERS = 64 * 1024

export function createVault({ withinMs = WITHIN_MS, clock = Date.now } = {}): Vault {
  const known = new Map<string, Known>()
  /** The newest: a former one has logged in with other settings. */
  let newest: { of: string; client: VaultClient } | undefined

  function clientOf(settings: VaultSettings): VaultClient {
    const of = JSON.stringify(settings)
    if (newest?.of !== of) newest = { of, client: createVaultClient(settings, clock) }
    return newest.client
  }

  async function readAll(settings: VaultSettings, wanted: readonly Wanted[]): Promise<void> {
    const client = clientOf(settings)
    const signal = AbortSignal.timeout(withinMs)
    const paths = [...Map.groupBy(wanted, ({ path }) => path)]
    let down: VaultDown | undefined
    const next = async (): Promise<void> => {
      for (let taken = paths.shift(); taken; taken = paths.shift()) {
        const [path, keys] = taken
        const secret = down ?? (await client.read(path, signal).catch((error: Error) => error))
        if (secret instanceof VaultDown) down = secret
        for (const { id, key } of keys) {
          const found = secret instanceof Error ? { problem: secret.message } : textOf(secret, key)
          const failedAt = found.problem === undefined ? undefined : clock()
          known.set(id, { ...known.get(id), problem: undefined, ...found, failedAt })
        }
      }
    }
    await Promise.all(Array.from({ length: MOST_AT_ONCE }, next))
  }

  return {
    async assembled(assemble, fresh = false) {
      const used = new Set<string>()
      const asked = new Set<string>()
      for (;;) {
        const wanted = new Map<VaultSettings, Wanted[]>()
        const result = assemble((settings, reference) => {
          const { path, key } = parts(reference)
          const id = JSON.stringify([settings.address, settings.namespace, reference])
          if (!used.has(id) && used.size >= MOST_SECRETS)
            throw new Error(`there are more than ${MOST_SECRETS} secrets of Vault`)
          used.add(id)
          const found = known.get(id)
          const hasFailed = clock() - (found?.failedAt ?? Number.NEGATIVE_INFINITY) < FAILED_FOR_MS
          if (!asked.has(id) && (fresh || (found?.value === undefined && !hasFailed))) {
            asked.add(id)
            wanted.set(settings, [...(wanted.get(settings) ?? []), { id, path, key }])
          }
          if (found?.value === undefined) throw new Error(found?.problem ?? 'it was not read')
          return { value: found.value, problem: found.problem }
        })
        if (wanted.size === 0) return result
        for (const [settings, each] of wanted) await readAll(settings, each)
        // What nothing refers to is forgotten, the oldest first: every assembly refers to all that is in force.
        for (const id of known.keys()) if (known.size > 2 * MOST_SECRETS && !used.has(id)) known.delete(id)
      }
    },
  }
}

const EXAMPLE = `\${vault:kv/data/trivium/openai#key}`

/** `kv/data/trivium/openai#key`. The path is that of Vault's API, without `v1/`. */
function parts(reference: string): { path: string; key: string } {
  const [, path = '', key = ''] = /^([^#]+)#(.+)$/.exec(reference) ?? []
  const isPath = path.split('/').every((step) => /^[\w.~@:+=, -]+$/.test(step) && !/^\.+$/.test(step))
  if (!isPath || key === '') throw new Error(`write a path and a key, as in ${EXAMPLE}`)
  return { path, key }
}

function textOf(secret: Record<string, unknown>, key: string): Known {
  const written = Object.hasOwn(secret, key) ? secret[key] : undefined
  if (written === undefined) return { problem: `it has no key '${key}'` }
  const value = typeof written === 'string' ? written.trim() : ''
  if (value === '') return { problem: `its key '${key}' is empty, or not a text` }
  return value.length > MOST_CHARACTERS ? { problem: `its key '${key}' is longer than 64 KiB` } : { value }
}
