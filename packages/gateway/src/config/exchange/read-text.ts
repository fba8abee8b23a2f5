// The entries of a configuration file that a caller sends as text. Nothing of this machine is read for it: neither its environment nor its files.
import { isAlias, isCollection, isPair } from 'yaml'
import { type ParsedDocument, parseDocumentOf } from '../../yaml/document.ts'
import { fieldsOf, isMapValue, itemsOf } from '../../yaml/fields.ts'
import { plainValue } from '../../yaml/plain-value.ts'
import { substitute } from '../../yaml/substitute.ts'
import { settingsOf } from '../assembly/origins.ts'
import { ENTRY_KINDS, entryKey, SETTING_SECTIONS, type StoredEntry } from '../stored.ts'
import { type Imported, storable } from './import.ts'

type Entry = Pick<StoredEntry, 'kind' | 'id' | 'value'>
/** `mistakes`: each with its line, where it has one. */
export type ReadText = { imported: Imported; mistakes: [] } | { imported?: undefined; mistakes: string[] }

const LISTS = ENTRY_KINDS.filter((kind) => kind !== 'setting').map(
  (kind) => [kind, entryKey({ kind, id: '' }).slice(0, -1)] as const,
)
const SECTIONS = {
  ...Object.fromEntries([...SETTING_SECTIONS, ...LISTS.map(([, name]) => name)].map((name) => [name, true as const])),
  secrets: 'can only be in the configuration file of the gateway; leave it out',
}

/** `variables`: what `${NAME}` stands for. */
export function readConfigText(source: string, variables: Readonly<Record<string, string>>): ReadText {
  const wrong = referenceMistakes(source, variables)
  if (wrong.length > 0) return { mistakes: wrong }
  const { context, root } = parse(source, variables)
  context.readSecret = () => ''
  context.readVault = () => ''
  const told = () =>
    context.mistakes.map(({ line, message }) => (line === undefined ? message : `line ${line}: ${message}`))
  if (!root) return { mistakes: context.mistakes.length > 0 ? told() : ['it is empty'] }
  if (hasAlias(root.node)) return { mistakes: ['it has aliases (*name); write out what they stand for'] }
  const fields = fieldsOf(root, SECTIONS, 'server: { ... } or models: [ ... ]')
  const settings = settingsOf(root).map(({ id, value }): Entry => {
    return { kind: 'setting', id, value: isMapValue(value) ? true : plainValue(value) }
  })
  const listed = LISTS.flatMap(([kind, name]) => {
    const value = fields?.get(name)
    return ((value && itemsOf(value, '[{ id: ... }]')) ?? []).flatMap((item): Entry[] => {
      const plain = plainValue(item)
      const { id, ...rest } = typeof plain === 'object' && plain !== null ? (plain as { id?: unknown }) : {}
      if (typeof id === 'string' || typeof id === 'number') return [{ kind, id: String(id), value: rest }]
      context.mistakes.push({ file: '', line: undefined, message: `${item.path}: id is missing` })
      return []
    })
  })
  if (context.mistakes.length > 0) return { mistakes: told() }
  return { imported: storable([...settings, ...listed]), mistakes: [] }
}

/** The parser calls itself for what is nested. */
function parse(source: string, variables: Readonly<Record<string, string>>): ParsedDocument {
  try {
    return parseDocumentOf(source, '', variables)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const { context } = parseDocumentOf('', '', {})
    context.mistakes.push({ file: '', line: undefined, message: 'it is nested too deeply' })
    return { context, root: undefined }
  }
}

function referenceMistakes(source: string, variables: Readonly<Record<string, string>>): string[] {
  const notRead = (what: string) => () => {
    throw new Error(`${what} not read here; write \${NAME}, and give its value`)
  }
  const readers = { readSecret: notRead('files are'), readVault: notRead('secrets of Vault are') }
  const { unset, unread, malformed } = substitute(source, { env: variables, ...readers })
  return [
    ...[...new Set(unset)].map((name) => `\${${name}} has no value; give it in variables`),
    ...unread.map(({ written, reason }) => `${written}: ${reason}`),
    ...malformed.map((part) => `${part} is not a reference; write \${NAME}, or $\${ for the characters themselves`),
  ]
}

/** A few aliases of aliases stand for more than fits into memory. */
function hasAlias(root: unknown): boolean {
  const waiting = [root]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isAlias(next)) return true
    if (isPair(next)) waiting.push(next.key, next.value)
    if (isCollection(next)) waiting.push(...next.items)
  }
  return false
}
