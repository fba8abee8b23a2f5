// Parses the YAML document and reports every syntax error with its line.
// The tree keeps the position and source text of each value: plain objects would lose the lines and turn 0.1 into a float.
import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve as resolvePath } from 'node:path'
import {
  type Alias,
  Document,
  isAlias,
  isCollection,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Sources } from './substitute.ts'

/** An error in the configuration, worded so that an operator can correct it. */
export type Mistake = { file: string; line: number | undefined; message: string }

/** The state of reading one file: how values are looked up, and the mistakes so far. */
export type ReadContext = Sources & {
  file: string
  /** Relative paths in the file start here. */
  folder: string
  mistakes: Mistake[]
  /** Valid, but probably not intended. */
  warnings: string[]
  /** Where entries begin, such as `model gpt-x`: for warnings about what was assembled. */
  lines: Map<string, number>
  reported: Set<string>
  /** Environment variables that the file refers to. */
  variablesRead: Set<string>
  source: string
  lineAt(offset: number): number
  /** The target of an alias, or the node itself. */
  resolve(node: Node): Node | undefined
  /** Not a file: the text has no lines, and `${NAME}` in it is not expanded. */
  isLiteral?: true
}

/**
 * A value in the file with its position and its path for messages (`models[gpt-x].price`). `beneath`: values of the same place in
 * other documents, whose fields apply where this one has none.
 */
export type YamlValue = {
  context: ReadContext
  node: Node
  path: string
  key?: Node
  beneath?: readonly YamlValue[]
}

/** A collection may begin on the line below its name: then the line of the name is used. */
export function lineOf({ context, node, key }: YamlValue): number {
  const place = key && isCollection(node) ? key : node
  return context.lineAt(place.range?.[0] ?? 0)
}

export function addMistake(value: YamlValue, message: string, line = lineOf(value)): void {
  // Fields that do not fit together are the mistake of what was added to the file, not of the file.
  for (const each of value.beneath ?? []) addMistake(each, message)
  const { file, mistakes, reported, isLiteral } = value.context
  if (value.beneath && !isLiteral) return
  // A value with an anchor is read again for each alias, under another path; its mistake is reported once.
  const once = `${isLiteral ? value.path : value.node.range?.[0]} ${line} ${message}`
  if (reported.has(once)) return
  reported.add(once)
  const text = value.path === '' ? message : `${value.path}: ${message}`
  mistakes.push({ file, line: isLiteral ? undefined : line, message: text })
}

export function addWarning(value: YamlValue, message: string): void {
  const place = value.context.isLiteral ? '' : `line ${lineOf(value)}: `
  const remark = `${place}${value.path}: ${message}`
  if (!value.context.warnings.includes(remark)) value.context.warnings.push(remark)
}

// The parser's messages quote the source, which may contain a key; these do not.
const SYNTAX: Readonly<Record<string, string>> = {
  BAD_INDENT: 'the indentation does not fit, or a bracket opened above is not closed',
  BAD_SCALAR_START: 'a value cannot begin with @ or `; put it in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'a second "name:" on the same line, or a wrong indentation; put values with ": " in quotes',
  DUPLICATE_KEY: 'duplicate name',
  MISSING_CHAR: 'a closing quote or bracket, a comma or a ":" is missing',
  MULTILINE_IMPLICIT_KEY: 'a name must stand on one line, followed by ":"',
  MULTIPLE_DOCS: 'only one document is read; remove the "---" in the middle',
  TAB_AS_INDENT: 'tabs cannot indent; use spaces',
  UNEXPECTED_TOKEN: 'unexpected text; is a quote, a comma or a bracket missing before it?',
}

const UNQUOTED_REFERENCE = /[[{,:]\s*\$\{[^"']*$|[[{,:]\s*\$\{\w+\}\s*[,}\]]/

function syntaxMessage(code: string, lineText: string): string {
  // In [..] and {..} a bare ${NAME} ends at its own brace: the most common way to get here.
  const hint = UNQUOTED_REFERENCE.test(lineText) ? `; inside [ ] and { }, write "\${NAME}" in quotes` : ''
  return `not valid YAML: ${SYNTAX[code] ?? 'this cannot be read'}${hint}`
}

/** All nodes in file order. (The package's `visit` copies the path for each node, which is slow in deep documents.) */
function nodesOf(root: unknown): (Scalar | Alias | YAMLMap | YAMLSeq)[] {
  const nodes: (Scalar | Alias | YAMLMap | YAMLSeq)[] = []
  const waiting = [root]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (isPair(next)) waiting.push(next.value, next.key)
    else if (isNode(next)) nodes.push(next)
    if (isCollection(next)) for (const item of next.items.toReversed()) waiting.push(item)
  }
  return nodes
}

/** Whether an anchor contains an alias of itself, which would recurse forever. */
function containsItself(node: Node, resolve: (node: Node) => Node | undefined): boolean {
  const open = new Set<unknown>()
  const finished = new Set<unknown>()
  const walk = (current: unknown): boolean => {
    if (isPair(current)) return walk(current.key) || walk(current.value)
    const target = isAlias(current) ? resolve(current) : current
    if (!isCollection(target) || finished.has(target)) return false
    if (open.has(target)) return true
    open.add(target)
    const found = target.items.some(walk)
    open.delete(target)
    finished.add(target)
    return found
  }
  return walk(node)
}

/** Only comments, document markers or a null. */
export function isEmptyDocument(source: string): boolean {
  const { errors, contents } = parseDocument(source, { prettyErrors: false, uniqueKeys: false })
  return errors.length === 0 && (contents === null || (isScalar(contents) && contents.value === null))
}

/** `config check` and a reload reject an empty file: it would remove every upstream. */
export const EMPTY_FILE = 'is empty; the running configuration stays in force (write {} for the defaults)'

/** No secret is longer, and a device may have no end. */
const MOST_SECRET_BYTES = 64 * 1024

function readSecret(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new Error('it does not exist')
  if (!found.isFile()) throw new Error('it is not a file')
  if (found.size > MOST_SECRET_BYTES) throw new Error(`it is larger than ${MOST_SECRET_BYTES / 1024} KiB`)
  const text = readFileSync(path, 'utf8').trim()
  if (text === '') throw new Error('it is empty')
  return text
}

const NO_VAULT = 'secrets of Vault are only read for the configuration file'

/** A value that no file has. `file` and `path`: for messages. */
export function literalValue(value: unknown, file: string, path: string): YamlValue {
  const context: ReadContext = {
    file,
    folder: '/',
    env: {},
    readSecret: () => '',
    readVault: () => '',
    mistakes: [],
    warnings: [],
    lines: new Map(),
    reported: new Set(),
    variablesRead: new Set(),
    source: '',
    lineAt: () => 0,
    resolve: (node) => node,
    isLiteral: true,
  }
  const node = new Document(value, { aliasDuplicateObjects: false }).contents as Node | null
  return { context, node: node ?? new Scalar(null), path }
}

export type ParsedDocument = { context: ReadContext; root: YamlValue | undefined }

/** `root` is undefined for an empty file, and when syntax errors (in `context.mistakes`) make the rest guesswork. */
export function parseDocumentOf(source: string, file: string, env: ReadContext['env']): ParsedDocument {
  const lines = new LineCounter()
  const mistakes: Mistake[] = []
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false, uniqueKeys: false })
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line)
  const targets = new Map<Node, Node | undefined>()
  const resolve = (node: Node): Node | undefined => (isAlias(node) ? targets.get(node) : node)
  const context: ReadContext = {
    file,
    folder: dirname(file),
    env,
    readSecret: (path) => readSecret(resolvePath(dirname(file), path)),
    readVault: () => {
      throw new Error(NO_VAULT)
    },
    mistakes,
    warnings: [],
    lines: new Map(),
    reported: new Set(),
    variablesRead: new Set(),
    source,
    lineAt,
    resolve,
  }
  const add = (offset: number, message: (lineText: string) => string): void => {
    const line = lineAt(offset)
    // The parser may report thousands of follow-up errors: one per line and twenty in total are enough.
    if (mistakes.length >= 20 || mistakes.some((known) => known.line === line)) return
    const lineText = source.slice(lines.lineStarts[line - 1], offset + 200).slice(0, 1000)
    mistakes.push({ file, line, message: message(lineText) })
  }
  for (const error of document.errors) add(error.pos[0], (lineText) => syntaxMessage(error.code, lineText))
  if (mistakes.length > 0) return { context, root: undefined }

  const contents = document.contents as Node | null
  // In file order, since an anchor may be redefined. Resolved once, instead of by a search for each alias.
  const anchors = new Map<string, Node>()
  for (const node of nodesOf(contents)) {
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) {
      const target = anchors.get(node.source)
      targets.set(node, target)
      if (!target) add(offset, () => `*${node.source}: no &${node.source} is defined above it`)
    } else {
      if (node.anchor) anchors.set(node.anchor, node)
      if (node.tag?.startsWith('!')) add(offset, () => `unsupported tag ${node.tag}; remove it`)
    }
  }
  if (contents && mistakes.length === 0 && containsItself(contents, resolve))
    add(0, () => 'an alias is used inside its own anchor')
  const empty = contents === null || (isScalar(contents) && contents.value === null)
  return { context, root: empty || mistakes.length > 0 ? undefined : { context, node: contents, path: '' } }
}
