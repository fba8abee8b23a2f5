// Assembles the configuration from the file, the environment and what is stored: one validation for all of them.
import { createHash } from 'node:crypto'
import {
  type Mistake,
  type ParsedDocument,
  parseDocumentOf,
  type ReadContext,
  type YamlValue,
} from '../yaml/document.ts'
import { fieldsOf } from '../yaml/fields.ts'
import { leaveOut } from './assembly/leave-out.ts'
import { type FileSetting, type Origins, originsOf, settingsOf } from './assembly/origins.ts'
import { readSections } from './assembly/read-sections.ts'
import { writtenEntries } from './assembly/written.ts'
import { hashConfig } from './hash.ts'
import { openReferences, type Reference } from './secrets/references.ts'
import { readSecrets, type SecretSettings } from './secrets/settings.ts'
import type { LookUp } from './secrets/vault.ts'
import { isLitellmFile } from './sections/upstreams/other-gateways.ts'
import type { SettingDefaults } from './settings/table.ts'
import {
  entryKey,
  type InvalidEntry,
  overlaps,
  SETTING_SECTIONS,
  type StoredEntry,
  storedValues,
  type WrittenEntry,
} from './stored.ts'
import type { FileConfig } from './types.ts'
import type { BuiltIn } from './upstream-kinds.ts'
import { configWarnings } from './warnings.ts'

export type Sources = {
  /** The text of the file. Empty: the defaults. */
  source: string
  file: string
  /** Supplies `${NAME}`, and the keys of vendors that an environment variable alone enables. */
  env: Readonly<Record<string, string | undefined>>
  stored?: readonly StoredEntry[]
  /** The revision of the stored entries as a whole. Absent: the highest among them. */
  revision?: number
  /** Supplies `${vault:...}`. Absent: Vault is not read. */
  lookUp?: LookUp | undefined
  /** Keys of stored entries whose mistakes reject everything, since they are about to be written. Others are left out. */
  strictly?: ReadonlySet<string>
}

export type Assembled = {
  config: FileConfig
  mistakes: []
  origins: Origins
  /** Every entry in force as a file would have it, by its key: what is written, without defaults. */
  written(): ReadonlyMap<string, WrittenEntry>
  /** Environment variables whose values are in force, by name. */
  variables: ReadonlyMap<string, string>
  /** The secrets outside that are in force, and those of stored entries that could not be read. */
  references: readonly Reference[]
  /** The values of settings that are not written. */
  defaults: SettingDefaults
  /** Stored entries that the file or the environment overrides. */
  shadowed: readonly StoredEntry[]
  /** Stored entries that are left out, each with its mistakes. */
  invalid: readonly InvalidEntry[]
}

export type LoadResult = { config: FileConfig; mistakes: [] } | { config?: undefined; mistakes: Mistake[] }
export type AssembleResult = Assembled | { config?: undefined; mistakes: Mistake[] }

const SECTIONS = {
  ...(Object.fromEntries(SETTING_SECTIONS.map((name) => [name, true])) as Record<string, true>),
  upstreams: true,
  models: true,
  groups: true,
  secrets: true,
} as const

const EXAMPLE = 'server: { ... } or models: [ ... ]'
const NONE: [] = []

const NOTHING_BUILT_IN: BuiltIn = {
  kinds: new Map(),
  priceList: () => ({ date: '1970-01-01', vendors: [] }),
  limits: () => undefined,
  capabilities: () => undefined,
  now: () => 0,
}

export function assemble(sources: Sources, builtIn = NOTHING_BUILT_IN): AssembleResult {
  const { source, file, env, strictly } = sources
  const parsed = parseDocumentOf(source, file, env)
  const { context, root } = parsed
  const isForeign = root !== undefined && isLitellmFile(root)
  if (isForeign || context.mistakes.length > 0) return { mistakes: context.mistakes }
  const settings = settingsOf(root)
  const isShadowed = ({ kind, id }: StoredEntry): boolean =>
    kind === 'setting' && settings.some((setting) => overlaps(setting.id, id))
  const all = sources.stored ?? []
  const shadowed = all.filter(isShadowed)
  const revision = sources.revision ?? all.reduce((highest, entry) => Math.max(highest, entry.revision), 0)
  let invalid: InvalidEntry[] = []
  let stored = all.filter((entry) => !isShadowed(entry))
  const seen: Given['seen'] = new Map()
  const attempt = () => assembleOnce(parsed, { ...sources, revision, stored, settings, invalid, seen }, builtIn)
  let last = attempt()
  const isStrict = ({ entry }: InvalidEntry) => strictly?.has(entryKey(entry))
  // An entry that is left out may make others invalid, so that the rest is read again.
  while (last.broken.length > 0 && !last.broken.some(isStrict)) {
    const { broken } = last
    invalid.push(...broken)
    stored = stored.filter((entry) => !broken.some((each) => each.entry === entry))
    last = attempt()
  }
  // Settings that contradict each other or the file were left out together: one of them may be right without the others.
  const settingsLeftOut = invalid.filter(({ entry }) => entry.kind === 'setting')
  for (const each of settingsLeftOut.length > 1 ? settingsLeftOut : []) {
    const [before, known] = [stored, invalid]
    stored = [...stored, each.entry]
    invalid = invalid.filter((other) => other !== each)
    const again = attempt()
    if (again.result && again.broken.length === 0) last = again
    else [stored, invalid] = [before, known]
  }
  if (!last.result || last.broken.length > 0) {
    return { mistakes: [...last.mistakes, ...last.broken.filter(isStrict).flatMap((each) => each.mistakes)] }
  }
  const references = [...seen].map(([name, problem]) => ({ name, problem }))
  return { ...last.result, mistakes: NONE, shadowed: [...shadowed, ...last.shadowed], invalid, references }
}

type Attempt = {
  /** Stored entries with mistakes. */
  broken: InvalidEntry[]
  shadowed: StoredEntry[]
  /** The mistakes in file and environment. */
  mistakes: Mistake[]
  /** Absent if there are such mistakes. */
  result?: Pick<Assembled, 'config' | 'origins' | 'written' | 'variables' | 'defaults'>
}

type Given = Sources & {
  revision: number
  stored: StoredEntry[]
  settings: FileSetting[]
  invalid: readonly InvalidEntry[]
  /** References to secrets, each with what is wrong with it. */
  seen: Map<string, string | undefined>
}

function assembleOnce(parsed: ParsedDocument, given: Given, builtIn: BuiltIn): Attempt {
  const context = freshContext(parsed.context)
  const own = parsed.root && { ...parsed.root, context }
  let secrets: SecretSettings | undefined
  const expand = openReferences(context, () => secrets, given.lookUp, given.seen)
  secrets = readSecrets(own && fieldsOf(own, SECTIONS, EXAMPLE)?.get('secrets'), context)
  const stored = storedValues(given.stored, expand)
  const leftOut = given.invalid.map(({ entry }) => entry)
  const root = withBeneath(own, stored.settings)
  const fields = root && fieldsOf(root, SECTIONS, EXAMPLE)
  const read = readSections({ context, fields, stored, leftOut }, builtIn)
  const vendors = [...read.vendors.upstreams, ...read.vendors.models].map((value) => value.context)
  const used = [context, ...vendors.filter((each) => !read.shadowed.has(each))]
  const inForce = [...stored.entries].filter(([each]) => !read.shadowed.has(each))
  const broken = inForce.flatMap(([{ mistakes }, entry]) => (mistakes.length > 0 ? [{ entry, mistakes }] : []))
  const shadowed = [...stored.entries].flatMap(([each, entry]) => (read.shadowed.has(each) ? [entry] : []))
  const { config, affected } = leaveOut(read.config, leftOut)
  // Sorted by line, so that an operator can work from top to bottom.
  const mistakes = used.flatMap((each) => each.mistakes).sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
  for (const { key, warning } of affected) {
    if (given.strictly?.has(key)) mistakes.push({ file: '', line: undefined, message: warning })
  }
  if (mistakes.length > 0) return { broken, shadowed, mistakes }
  const warnings = [
    ...[...used, ...inForce.map(([each]) => each)].flatMap((each) => each.warnings),
    ...configWarnings(config, context.lines),
    ...read.warnings,
    ...affected.map(({ warning }) => warning),
  ]
  const fileHash = given.source === '' ? '' : createHash('sha256').update(given.source).digest('hex').slice(0, 12)
  const origins = originsOf(config, {
    context,
    settings: given.settings,
    variables: read.vendors.variables,
    stored: inForce.map(([, entry]) => entry),
  })
  const whole: FileConfig = { ...config, revision: given.revision, fileHash, hash: hashConfig(config), warnings }
  const names = [...context.variablesRead, ...read.vendors.variables.values()]
  const variables = new Map(names.map((name) => [name, context.env[name] ?? '']))
  const parts = { listed: read.written, fileSettings: given.settings, stored: inForce.map(([, entry]) => entry) }
  const affectedKeys = new Set(affected.map(({ key }) => key))
  const written = () => writtenEntries({ ...parts, config: whole, origins, affected: affectedKeys })
  return {
    broken,
    shadowed,
    mistakes,
    result: { config: freeze(whole), origins, written, variables, defaults: read.defaults },
  }
}

/** The same document, read again from the beginning. */
const freshContext = (context: ReadContext): ReadContext => ({
  ...context,
  mistakes: [],
  warnings: [],
  lines: new Map(),
  reported: new Set(),
  variablesRead: new Set(),
})

/** Without a file, the first of the layers is above the others. */
function withBeneath(root: YamlValue | undefined, layers: readonly YamlValue[]): YamlValue | undefined {
  const [top, ...beneath] = root ? [root, ...layers] : layers
  return top && beneath.length > 0 ? { ...top, beneath } : top
}

/**
 * Every request shares the configuration, so it must not change. Maps and lists are read-only by type only: engines treat a
 * frozen list like a map, and recompile the code that reads it.
 */
function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const parts = value instanceof Map ? value.values() : Object.values(value)
  for (const part of parts) freeze(part)
  return Array.isArray(value) ? value : Object.freeze(value)
}
