// What file and environment say of each entry, as plain JSON with its secrets: for showing the configuration.
import type { YamlValue } from '../../yaml/document.ts'
import { plainValue } from '../../yaml/plain-value.ts'
import { entryKey } from '../stored.ts'
import type { EnvironmentVendors } from './environment-vendors.ts'
import type { FileSetting } from './origins.ts'

const LISTS = { upstreams: 'upstream', models: 'model', groups: 'group' } as const

/** By `upstreams/main` or `settings/server.drain`. */
export function writtenEntries(
  root: YamlValue | undefined,
  settings: readonly FileSetting[],
  vendors: Pick<EnvironmentVendors, 'upstreams' | 'models'>,
): ReadonlyMap<string, unknown> {
  const written = new Map<string, unknown>()
  const file = (root ? plainValue(root) : {}) as Partial<Record<keyof typeof LISTS, unknown>>
  const add = (list: keyof typeof LISTS, entry: unknown) => {
    const { id, ...value } = (entry ?? {}) as { id?: unknown }
    written.set(entryKey({ kind: LISTS[list], id: String(id) }), value)
  }
  for (const value of vendors.upstreams) add('upstreams', plainValue(value))
  for (const value of vendors.models) add('models', plainValue(value))
  // The file overrides the environment.
  for (const list of ['upstreams', 'models', 'groups'] as const)
    for (const entry of Array.isArray(file[list]) ? file[list] : []) add(list, entry)
  for (const { id, value } of settings) written.set(entryKey({ kind: 'setting', id }), plainValue(value))
  return written
}
