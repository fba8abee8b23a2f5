// Reading maps, lists and texts. Each reader either returns what was asked for or notes a mistake and returns
// undefined; nobody stops at the first one, so an operator sees all of them at once.
import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'
import { nearest } from '../closest-match.ts'
import { addMistake, addRemark, type Reading, type Value } from './document.ts'
import { substitute } from './substitute.ts'

export type Read<T> = (value: Value) => T | undefined

/** `true`: a field of this version. A text: why it is refused, for fields whose feature comes later. */
export type FieldRules = Readonly<Record<string, true | string>>

export type Fields = {
  value: Value
  get(name: string): Value | undefined
  required<T>(name: string, read: Read<T>, advice?: string): T | undefined
  /** The fallback also stands in for a value with a mistake: the result is thrown away then anyway. */
  optional<T>(name: string, read: Read<T>, fallback: T): T
}

type Written = { name: string; key: Node; value: Node | undefined }

const isNull = (node: unknown): boolean => isScalar(node) && node.value === null

function isMergeKey(key: Scalar): boolean {
  return key.type === 'PLAIN' && key.source === '<<'
}

/** The maps that `<<` brings in: one, or a list of which the first wins. */
function mergedMaps(value: Value): YAMLMap[] {
  const node = value.reading.resolve(value.node)
  const parts = isSeq(node) ? node.items.map((item) => value.reading.resolve(item as Node)) : [node]
  const maps = parts.filter((part) => isMap(part))
  if (maps.length !== parts.length) addMistake(value, '<< takes a map written elsewhere, such as <<: *name')
  return maps
}

/** Fields in the order of precedence: those written in the map itself, then those merged in. */
function writtenFields(map: YAMLMap, { reading, path }: Value): Written[] {
  const own: Written[] = []
  const merged: Written[] = []
  for (const pair of map.items) {
    const key = pair.key as Node
    const value = (pair.value ?? undefined) as Node | undefined
    if (!isScalar(key)) {
      addMistake({ reading, node: key ?? map, path }, 'a field name must be plain text')
    } else if (isMergeKey(key)) {
      const maps = value ? mergedMaps({ reading, node: value, path }) : []
      for (const each of maps) merged.push(...writtenFields(each, { reading, node: each, path }))
    } else {
      own.push({ name: key.source ?? String(key.value), key, value })
    }
  }
  return [...own, ...merged.filter(({ name }) => !own.some((field) => field.name === name))]
}

function checkedFields(value: Value, map: YAMLMap, rules: FieldRules) {
  const { reading, path } = value
  const values = new Map<string, Value>()
  const firstLine = new Map<string, number>()
  const misspelt = new Set<string>()
  const ownKeys = new Set<unknown>(map.items.map((pair) => pair.key))
  for (const { name, key, value: node } of writtenFields(map, value)) {
    const line = reading.lineAt(key.range?.[0] ?? 0)
    const field: Value = { reading, key, node: node ?? key, path: path === '' ? name : `${path}.${name}` }
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    const first = firstLine.get(name)
    if (first !== undefined) {
      if (ownKeys.has(key)) addMistake(field, `is written twice; the first is on line ${first}`, line)
      continue
    }
    firstLine.set(name, line)
    if (rule === undefined) {
      const guess = nearest(name, Object.keys(rules))
      if (guess) misspelt.add(guess)
      const advice = guess ? `did you mean ${guess}?` : `known here: ${Object.keys(rules).join(', ')}`
      addMistake({ ...field, path }, `unknown field ${quote(name)}; ${advice}`, line)
    } else if (node === undefined || isNull(reading.resolve(node))) {
      // Nothing after the colon, as when all of a section is commented out: the same as not written.
    } else if (rule !== true) {
      addMistake(field, rule, line)
    } else {
      values.set(name, field)
    }
  }
  return { values, misspelt }
}

export function fieldsOf(value: Value, rules: FieldRules, example: string): Fields | undefined {
  const map = value.reading.resolve(value.node)
  if (!isMap(map)) {
    addMistake(value, `expected fields, such as ${example}`)
    return undefined
  }
  const { values, misspelt } = checkedFields(value, map, rules)
  const get = (name: string): Value | undefined => values.get(name)
  return {
    value,
    get,
    required(name, read, advice) {
      const field = get(name)
      if (field) return read(field)
      // A misspelt field was already reported: that it is also missing would be the same mistake twice.
      if (!misspelt.has(name)) addMistake(value, `${name} is missing${advice ? `; ${advice}` : ''}`)
      return undefined
    },
    optional(name, read, fallback) {
      const field = get(name)
      return field ? (read(field) ?? fallback) : fallback
    },
  }
}

export const isList = ({ reading, node }: Value): boolean => isSeq(reading.resolve(node))
export const isScalarValue = ({ reading, node }: Value): boolean => isScalar(reading.resolve(node))

/** A map whose names are the operator's own, such as those of models. */
export function entriesOf(value: Value, example: string): [name: string, value: Value][] {
  const map = value.reading.resolve(value.node)
  const names = isMap(map) ? writtenFields(map, value).map(({ name }) => name) : []
  const fields = fieldsOf(value, Object.fromEntries(names.map((name) => [name, true as const])), example)
  return [...new Set(names)].flatMap((name): [string, Value][] => {
    const field = fields?.get(name)
    return field ? [[name, field]] : []
  })
}

/** Names an entry of a list in messages: by its id where one is written, else by its place. */
function itemPath(reading: Reading, list: string, node: Node | undefined, index: number): string {
  const id = isMap(node) ? reading.resolve(node.get('id', true) as unknown as Node) : undefined
  const named = isScalar(id) && typeof id.value === 'string' && /^[\w.:/@+-]{1,60}$/.test(id.value)
  return `${list}[${named ? id.value : index}]`
}

export function itemsOf(value: Value, example: string): Value[] | undefined {
  const { reading, path } = value
  const list = reading.resolve(value.node)
  if (!isSeq(list)) {
    addMistake(value, `expected a list, such as ${example}`)
    return undefined
  }
  const items: Value[] = []
  list.items.forEach((item, index) => {
    const node = item as Node
    const itself: Value = { reading, node, path: itemPath(reading, path, reading.resolve(node), index) }
    if (isNull(reading.resolve(node))) addMistake(itself, 'this entry of the list is empty; fill it in or remove it')
    else items.push(itself)
  })
  return items
}

/** `emptyAdvice`: what to write instead, where an empty list makes no sense. */
export function listOf<T>(read: Read<T>, example: string, emptyAdvice?: string): Read<T[]> {
  return (value) => {
    const items = itemsOf(value, example)
    if (items?.length === 0 && emptyAdvice !== undefined) addMistake(value, `the list is empty; ${emptyAdvice}`)
    return items?.flatMap((item) => read(item) ?? [])
  }
}

/** `$NAME` and nothing else: in a shell it would be the variable. */
const BARE_REFERENCE = /^\$[A-Za-z_][A-Za-z0-9_]*$/

/** A scalar's text as written (numbers too: `0.10` stays `0.10`) with `${NAME}` filled in. */
export function scalarText(value: Value, expected: string): string | undefined {
  const { reading } = value
  const node = reading.resolve(value.node)
  if (!isScalar(node)) {
    addMistake(value, `expected ${expected}`)
    return undefined
  }
  const written = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  const { text, names, unset, malformed } = substitute(written, reading.env)
  for (const name of names) reading.namesRead.add(name)
  if (BARE_REFERENCE.test(written))
    addRemark(
      value,
      `${quote(written)} is taken as it is written; write "\${${written.slice(1)}}" to read the variable`,
    )
  const start = node.range?.[0] ?? 0
  // In a text of several lines the line of the reference, not of its beginning.
  const lineOf = (part: string) => reading.lineAt(Math.max(start, reading.source.indexOf(part, start)))
  for (const name of new Set(unset)) {
    addMistake(value, `the environment variable ${name} is not set`, lineOf(`\${${name}}`))
  }
  for (const part of malformed) {
    addMistake(
      value,
      `${quote(part)} is not a reference; write \${NAME}, or $\${ for the characters themselves`,
      lineOf(part),
    )
  }
  return unset.length + malformed.length > 0 ? undefined : text
}

/** What stands in the file, for a message: shortened, and before the environment (perhaps a secret) is filled in. */
export function written(value: Value): string {
  const node = value.reading.resolve(value.node)
  if (!isScalar(node)) return 'this'
  return quote(typeof node.value === 'string' ? node.value : (node.source ?? String(node.value)))
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
}
