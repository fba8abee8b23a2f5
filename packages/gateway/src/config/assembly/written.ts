// The entries in force as a file would have them.
import { resolve } from 'node:path'
import type { YamlValue } from '../../yaml/document.ts'
import { isMapValue } from '../../yaml/fields.ts'
import { plainValue } from '../../yaml/plain-value.ts'
import { isCredentialJson } from '../secret-paths.ts'
import { entryKey, type StoredEntry, type WrittenEntry } from '../stored.ts'
import type { FileConfig } from '../types.ts'
import type { FileSetting, Origins } from './origins.ts'
import type { Sections } from './read-sections.ts'

type Given = {
  listed: Sections['written']
  fileSettings: readonly FileSetting[]
  /** The entries of the store that are in force. */
  stored: readonly StoredEntry[]
  config: FileConfig
  origins: Origins
  /** Keys of entries that name entries which are left out. */
  affected: ReadonlySet<string>
}

export function writtenEntries({
  listed,
  fileSettings,
  stored,
  config,
  origins,
  affected,
}: Given): ReadonlyMap<string, WrittenEntry> {
  const entries = [
    ...fileSettings.map(({ id, value }) => ({ kind: 'setting' as const, id, value: settingText(id, value) })),
    ...stored.flatMap(({ kind, id, value }) => (kind === 'setting' ? [{ kind, id, value }] : [])),
    ...listed.map(({ kind, value }) => {
      const { id, ...fields } = plainValue(value) as { id: unknown }
      return { kind, id: String(id), value: kind === 'upstream' ? withWholePath(fields, value) : fields }
    }),
  ]
  const written = new Map<string, WrittenEntry>()
  for (const entry of entries) {
    const key = entryKey(entry)
    const origin = origins.get(key)
    if (!origin || (entry.id === IMAGE_TOOL && !config.tools)) continue
    const value = affected.has(key) ? withoutMissing(entry.value as object, config) : entry.value
    written.set(key, { ...entry, value, origin })
  }
  return written
}

const IMAGE_TOOL = 'tools.image_generation.model'
/** Relative to the folder of the file that they were written in. */
const PATHS: ReadonlySet<string> = new Set(['server.tls.cert', 'server.tls.key', 'media.disk', 'mail.ca'])

function settingText(id: string, value: YamlValue): unknown {
  if (isMapValue(value)) return true
  const plain = plainValue(value)
  return PATHS.has(id) ? resolve(value.context.folder, String(plain)) : plain
}

type Fields = { [name: string]: unknown }

/** The file of a credential, wherever the entry is read next. */
function withWholePath(upstream: Fields, { context }: YamlValue): Fields {
  const { credentials, ...auth } = (upstream.auth ?? {}) as Fields
  if (typeof credentials !== 'string' || isCredentialJson(credentials)) return upstream
  return { ...upstream, auth: { ...auth, credentials: resolve(context.folder, credentials) } }
}

/** A model or group without what it names and does not exist. */
function withoutMissing(value: object, { upstreams, models, wildcards }: FileConfig): object {
  const fields: Fields = { ...value }
  const { routes, fallbacks, models: names, prices, replaced_by } = fields
  const exists = (id: unknown) => id === '*' || models.has(String(id)) || wildcards?.has(String(id)) === true
  if (replaced_by !== undefined && !exists(replaced_by)) delete fields.replaced_by
  if (Array.isArray(routes)) fields.routes = routes.filter(({ upstream }) => upstreams.has(String(upstream)))
  if (Array.isArray(fallbacks)) fields.fallbacks = fallbacks.filter(exists)
  if (Array.isArray(names)) fields.models = names.filter(exists)
  if (prices) fields.prices = Object.fromEntries(Object.entries(prices).filter(([id]) => exists(id)))
  return fields
}
