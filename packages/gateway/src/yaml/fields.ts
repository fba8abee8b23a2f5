// Readers of maps, lists and texts. Each reader returns its value, or reports a mistake and returns
// undefined; reading continues, so that an operator sees all mistakes at once.
import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml'
import { closestMatch } from './closest-match.ts'
import { addMistake, addWarning, type ReadContext, type YamlValue } from './document.ts'
import { substitute } from './substitute.ts'

export type Reader<T> = (value: YamlValue) => T | undefined

/** A field that files alone may have: what is stored can be changed by people who do not run the machine. */
export const FILE_ONLY = Symbol('file only')

/** `true`: a supported field. A text: the message for a field that is known but not supported. */
export type FieldRules = Readonly<Record<string, true | string | typeof FILE_ONLY>>

export type Fields = {
  value: YamlValue
  get(name: string): YamlValue | undefined
  required<T>(name: string, read: Reader<T>, advice?: string): T | undefined
  /** Also returns the fallback for a value with a mistake, since the result is discarded then. */
  optional<T>(name: string, read: Reader<T>, fallback: T): T
}

type Written = { name: string; key: Node; value: Node | undefined }

const isNull = (node: unknown): boolean => isScalar(node) && node.value === null

function isMergeKey(key: Scalar): boolean {
  return key.type === 'PLAIN' && key.source === '<<'
}

/** The maps that `<<` merges: one, or a list in which the first has precedence. */
function mergedMaps(value: YamlValue): YAMLMap[] {
  const node = value.context.resolve(value.node)
  const parts = isSeq(node) ? node.items.map((item) => value.context.resolve(item as Node)) : [node]
  const maps = parts.filter((part) => isMap(part))
  if (maps.length !== parts.length) addMistake(value, '<< takes a map written elsewhere, such as <<: *name')
  return maps
}

/** Fields in order of precedence: those of the map itself, then merged ones. */
export function writtenFields(map: YAMLMap, { context, path }: YamlValue): Written[] {
  const own: Written[] = []
  const merged: Written[] = []
  for (const pair of map.items) {
    const key = pair.key as Node
    const value = (pair.value ?? undefined) as Node | undefined
    if (!isScalar(key)) {
      addMistake({ context, node: key ?? map, path }, 'a field name must be plain text')
    } else if (isMergeKey(key)) {
      const maps = value ? mergedMaps({ context, node: value, path }) : []
      for (const each of maps) merged.push(...writtenFields(each, { context, node: each, path }))
    } else {
      own.push({ name: key.source ?? String(key.value), key, value })
    }
  }
  return [...own, ...merged.filter(({ name }) => !own.some((field) => field.name === name))]
}

function checkedFields(value: YamlValue, map: YAMLMap, rules: FieldRules) {
  const { context, path } = value
  const values = new Map<string, YamlValue>()
  const firstLine = new Map<string, number>()
  const misspelt = new Set<string>()
  const ownKeys = new Set<unknown>(map.items.map((pair) => pair.key))
  for (const { name, key, value: node } of writtenFields(map, value)) {
    const line = context.lineAt(key.range?.[0] ?? 0)
    const field: YamlValue = { context, key, node: node ?? key, path: fieldPath(path, name) }
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    const first = firstLine.get(name)
    if (first !== undefined) {
      if (ownKeys.has(key)) addMistake(field, `duplicate field; the first is on line ${first}`, line)
      continue
    }
    firstLine.set(name, line)
    if (rule === undefined) {
      const guess = closestMatch(name, Object.keys(rules))
      if (guess) misspelt.add(guess)
      const advice = guess ? `did you mean ${guess}?` : `known fields: ${Object.keys(rules).join(', ')}`
      addMistake({ ...field, path }, `unknown field ${quote(name)}; ${advice}`, line)
    } else if (node === undefined || isNull(context.resolve(node))) {
      // An empty value, for example of a section whose lines are all commented out, counts as absent.
      if (context.isLiteral) addMistake(field, 'is empty; expected a value')
    } else if (rule === FILE_ONLY && context.isLiteral) {
      addMistake(field, 'can only be set in the configuration file')
    } else if (typeof rule === 'string') {
      addMistake(field, rule, line)
    } else {
      values.set(name, field)
    }
  }
  for (const layer of value.beneath ?? []) addLayer(layer, values, rules)
  return { values, misspelt }
}

/** A field of a lower layer applies where the layers above have none; maps are merged field by field. */
function addLayer(layer: YamlValue, values: Map<string, YamlValue>, rules: FieldRules): void {
  const map = layer.context.resolve(layer.node)
  if (!isMap(map)) return
  for (const [name, field] of checkedFields(layer, map, rules).values) {
    const above = values.get(name)
    if (!above) values.set(name, field)
    else if (isMapValue(above) && isMapValue(field)) {
      values.set(name, { ...above, beneath: [...(above.beneath ?? []), field] })
    }
  }
}

/** A path that ends in a space is a word before the first name, as in `stored server.drain`. */
const fieldPath = (path: string, name: string): string => (/^$| $/.test(path) ? `${path}${name}` : `${path}.${name}`)

export function fieldsOf(value: YamlValue, rules: FieldRules, example: string): Fields | undefined {
  const map = value.context.resolve(value.node)
  if (!isMap(map)) {
    addMistake(value, `expected fields, such as ${example}`)
    return undefined
  }
  const { values, misspelt } = checkedFields(value, map, rules)
  const get = (name: string): YamlValue | undefined => values.get(name)
  return {
    value,
    get,
    required(name, read, advice) {
      const field = get(name)
      if (field) return read(field)
      // A misspelt field has already been reported.
      if (!misspelt.has(name)) addMistake(value, `${name} is missing${advice ? `; ${advice}` : ''}`)
      return undefined
    },
    optional(name, read, fallback) {
      const field = get(name)
      return field ? (read(field) ?? fallback) : fallback
    },
  }
}

export const isMapValue = ({ context, node }: YamlValue): boolean => isMap(context.resolve(node))
export const isList = ({ context, node }: YamlValue): boolean => isSeq(context.resolve(node))
export const isScalarValue = ({ context, node }: YamlValue): boolean => isScalar(context.resolve(node))

/** A map with arbitrary names, such as model ids. */
export function entriesOf(value: YamlValue, example: string): [name: string, value: YamlValue][] {
  const map = value.context.resolve(value.node)
  const names = isMap(map) ? writtenFields(map, value).map(({ name }) => name) : []
  const fields = fieldsOf(value, Object.fromEntries(names.map((name) => [name, true as const])), example)
  return [...new Set(names)].flatMap((name): [string, YamlValue][] => {
    const field = fields?.get(name)
    return field ? [[name, field]] : []
  })
}

/** The name of a list entry in messages: its id, or else its index. */
function itemPath(context: ReadContext, list: string, node: Node | undefined, index: number): string {
  const id = isMap(node) ? context.resolve(node.get('id', true) as unknown as Node) : undefined
  const named = isScalar(id) && typeof id.value === 'string' && /^[\w.:/@+-]{1,60}$/.test(id.value)
  return `${list}[${named ? id.value : index}]`
}

export function itemsOf(value: YamlValue, example: string): YamlValue[] | undefined {
  const { context, path } = value
  const list = context.resolve(value.node)
  if (!isSeq(list)) {
    addMistake(value, `expected a list, such as ${example}`)
    return undefined
  }
  const items: YamlValue[] = []
  list.items.forEach((item, index) => {
    const node = item as Node
    const itself: YamlValue = { context, node, path: itemPath(context, path, context.resolve(node), index) }
    if (isNull(context.resolve(node))) addMistake(itself, 'this list entry is empty; fill it in or remove it')
    else items.push(itself)
  })
  return items
}

/** `emptyAdvice`: given if the list must not be empty. */
export function listOf<T>(read: Reader<T>, example: string, emptyAdvice?: string): Reader<T[]> {
  return (value) => {
    const items = itemsOf(value, example)
    if (items?.length === 0 && emptyAdvice !== undefined) addMistake(value, `the list is empty; ${emptyAdvice}`)
    return items?.flatMap((item) => read(item) ?? [])
  }
}

/** `$NAME` alone, which a shell would expand. */
const BARE_REFERENCE = /^\$[A-Za-z_][A-Za-z0-9_]*$/

/** The source text of a scalar (`0.10` stays `0.10`) with `${NAME}` replaced. */
export function scalarText(value: YamlValue, expected: string): string | undefined {
  const { context } = value
  const node = context.resolve(value.node)
  if (!isScalar(node)) {
    addMistake(value, `expected ${expected}`)
    return undefined
  }
  const written = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value))
  if (context.isLiteral) return written
  const { text, names, unset, unread, malformed } = substitute(written, context)
  for (const name of names) context.variablesRead.add(name)
  if (BARE_REFERENCE.test(written))
    addWarning(value, `${quote(written)} is used literally; write "\${${written.slice(1)}}" to read the variable`)
  const start = node.range?.[0] ?? 0
  // In a multi-line text, the line of the reference, not of the beginning.
  const lineOf = (part: string) => context.lineAt(Math.max(start, context.source.indexOf(part, start)))
  for (const name of new Set(unset)) {
    addMistake(value, `the environment variable ${name} is not set`, lineOf(`\${${name}}`))
  }
  for (const { written: part, what, reason } of unread) addMistake(value, `cannot use ${what}: ${reason}`, lineOf(part))
  for (const part of malformed) {
    addMistake(
      value,
      `${quote(part)} is not a reference; write \${NAME}, \${file:PATH}, \${vault:PATH#KEY}, or $\${ for the characters themselves`,
      lineOf(part),
    )
  }
  return unset.length + unread.length + malformed.length > 0 ? undefined : text
}

/** The source text for a message: shortened, and without values from the environment, which may be secret. */
export function quoteSource(value: YamlValue): string {
  const node = value.context.resolve(value.node)
  if (!isScalar(node)) return 'this'
  return quote(typeof node.value === 'string' ? node.value : (node.source ?? String(node.value)))
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
}
