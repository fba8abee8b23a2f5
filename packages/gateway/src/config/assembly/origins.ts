// Where each entry in force comes from: the file, the environment, the store, or the program.
import { isMap, isScalar, type YAMLMap } from 'yaml'
import { lineOf, type ReadContext, type YamlValue } from '../../yaml/document.ts'
import { isMapValue, writtenFields } from '../../yaml/fields.ts'
import { entryKey, type Origin, SETTING_SECTIONS, type StoredEntry } from '../stored.ts'
import type { FileConfig } from '../types.ts'

/** By `upstreams/main` or `settings/server.drain`. Settings at their defaults are not among them. */
export type Origins = ReadonlyMap<string, Origin>

export type OriginSources = {
  /** The context in which the file was read. */
  context: ReadContext
  settings: readonly FileSetting[]
  /** The variable behind each entry of the environment. */
  variables: ReadonlyMap<string, string>
  stored: Iterable<StoredEntry>
}

type Listed = Pick<FileConfig, 'upstreams' | 'models' | 'groups' | 'wildcards'>

export function originsOf(config: Listed, { context, settings, variables, stored }: OriginSources): Origins {
  const origins = new Map<string, Origin>()
  const inForce = (['upstream', 'model', 'group'] as const).flatMap((kind) =>
    [...config[`${kind}s`].keys(), ...(kind === 'model' ? (config.wildcards?.keys() ?? []) : [])].map((id) => ({
      kind,
      id,
      key: entryKey({ kind, id }),
    })),
  )
  for (const { key } of inForce) origins.set(key, { from: 'built-in' })
  // In the order of precedence, the lowest first.
  for (const entry of stored) {
    const key = entryKey(entry)
    if (entry.kind === 'setting' || origins.has(key)) origins.set(key, { from: 'stored', revision: entry.revision })
  }
  for (const [key, variable] of variables) if (origins.has(key)) origins.set(key, { from: 'environment', variable })
  for (const { kind, id, key } of inForce) {
    const line = context.lines.get(`${kind} ${id}`)
    if (line !== undefined) origins.set(key, { from: 'file', file: context.file, line })
  }
  for (const { id, value } of settings) {
    origins.set(entryKey({ kind: 'setting', id }), { from: 'file', file: context.file, line: lineOf(value) })
  }
  return origins
}

export type FileSetting = { id: string; value: YamlValue }

/** The settings of a file by their paths, whatever they are worth. */
export function settingsOf(root: YamlValue | undefined): FileSetting[] {
  const sections = root && isMapValue(root) ? writtenFields(root.context.resolve(root.node) as YAMLMap, root) : []
  return sections.flatMap(({ name, key, value }) => {
    if (!root || !value || !SETTING_SECTIONS.some((each) => each === name)) return []
    const section: YamlValue = { context: root.context, node: value, key, path: name }
    const leaves = leavesOf(section, name)
    // `sandbox: {}` turns the sandbox on.
    return leaves.length === 0 && name === 'sandbox' && isMapValue(section) ? [{ id: name, value: section }] : leaves
  })
}

function leavesOf(value: YamlValue, id: string): FileSetting[] {
  const { context, path } = value
  const node = context.resolve(value.node)
  if (!isMap(node)) return isScalar(node) && node.value === null ? [] : [{ id, value }]
  return writtenFields(node, value).flatMap(({ name, key, value: child }) =>
    child === undefined ? [] : leavesOf({ context, node: child, key, path }, `${id}.${name}`),
  )
}
