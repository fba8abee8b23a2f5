// Everything in force as one configuration file, with a placeholder for each secret.
import { Document, isMap, isPair, isScalar, isSeq, type Node, Scalar } from 'yaml'
import type { Assembled } from '../assemble.ts'
import { isCredentialJson, mapSecrets } from '../secret-paths.ts'
import type { WrittenEntry } from '../stored.ts'

export type Exported = {
  text: string
  /** The variables that the file refers to, and what each is for. */
  secrets: { name: string; of: string }[]
}

/** A secret that came from a variable keeps its name. */
export function exportConfig({ written, variables }: Pick<Assembled, 'written' | 'variables'>): Exported {
  const placeholders = new Placeholders(variables)
  const file: { [section: string]: unknown } = {}
  for (const entry of written().values()) {
    const value = escaped(mapSecrets(entry, (secret, path) => placeholders.replace(secret, entry, path)))
    if (entry.kind === 'setting') setAt(file, entry.id.split('.'), value)
    else addTo(file, `${entry.kind}s`, { id: entry.id, ...(value as object) })
  }
  const document = new Document(file, { aliasDuplicateObjects: false })
  document.commentBefore = headingOf(placeholders.names)
  styleOf(document.contents as Node | null, 0)
  return { text: document.toString({ lineWidth: 0, flowCollectionPadding: true }), secrets: placeholders.names }
}

function headingOf(secrets: Exported['secrets']): string {
  const lines = [' Exported by `trivium config export`.']
  if (secrets.length > 0) lines.push(' Secrets are read from the environment:')
  return [...lines, ...secrets.map(({ name, of }) => `   ${name}: ${of}`)].join('\n')
}

/** A placeholder, which is not escaped as other text is. */
class Reference {
  readonly text: string
  constructor(name: string) {
    this.text = `\${${name}}`
  }
}

class Placeholders {
  readonly names: Exported['secrets'] = []
  private readonly known = new Map<string, string>()
  private readonly taken: Set<string>

  constructor(variables: Assembled['variables']) {
    this.taken = new Set(variables.keys())
    for (const [name, value] of variables) if (value && !this.known.has(value)) this.known.set(value, name)
  }

  replace(secret: unknown, entry: WrittenEntry, path: string): unknown {
    const text = String(secret)
    if (isPublic(text, path)) return secret
    const name = this.known.get(text) ?? this.newName(entry, path)
    const of = entry.kind === 'setting' ? path : `${entry.kind}s[${entry.id}].${path}`
    this.names.push({ name, of })
    return new Reference(name)
  }

  private newName({ kind, id }: WrittenEntry, path: string): string {
    const [wanted, number] = kind === 'upstream' ? upstreamName(id, path) : [settingName(path), numberIn(path)]
    for (let count = number; ; count++) {
      const name = count === 0 ? wanted : `${wanted}_${count + 1}`
      if (this.taken.has(name)) continue
      this.taken.add(name)
      return name
    }
  }
}

/** What an upstream without a key is sent, the URL of a proxy without a password, and the path of a file. */
const isPublic = (text: string, path: string): boolean =>
  (path.startsWith('keys.') && text === 'none') ||
  (path === 'proxy' && !text.includes('@')) ||
  (path === 'auth.credentials' && !isCredentialJson(text))

const upper = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9]/g, '_')
const numberIn = (path: string): number => Number(/\d+/.exec(path)?.[0] ?? 0)

function upstreamName(id: string, path: string): [name: string, number: number] {
  const of = /^[0-9]/.test(id) ? `UPSTREAM_${upper(id)}` : upper(id)
  if (path.startsWith('auth.')) return [`${of}_${upper(path.slice('auth.'.length))}`, 0]
  return [path === 'proxy' ? `${of}_UPSTREAM_PROXY` : `${of}_KEY`, numberIn(path)]
}

const SETTING_NAMES: Readonly<Record<string, string>> = {
  'mail.url': 'MAIL_URL',
  'server.metrics_token': 'METRICS_TOKEN',
  'media.s3.access_key': 'S3_ACCESS_KEY',
  'media.s3.secret_key': 'S3_SECRET_KEY',
}
const settingName = (path: string): string => SETTING_NAMES[path] ?? upper(path.replaceAll(/\.\d+/g, ''))

/** Text that the file would expand is written so that it stays as it is. */
function escaped(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (value instanceof Reference) return value.text
  if (Array.isArray(value)) return value.map(escaped)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]))
}

type Fields = { [name: string]: unknown }

function setAt(fields: Fields, [name = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    fields[name] = value
    return
  }
  fields[name] ??= {}
  setAt(fields[name] as Fields, rest, value)
}

function addTo(file: Fields, list: string, entry: object): void {
  file[list] ??= []
  ;(file[list] as object[]).push(entry)
}

/** Amounts without quotes, references in quotes, and small maps on one line. */
function styleOf(node: Node | null, depth: number): void {
  if (isScalar(node)) styleText(node)
  if (!isMap(node) && !isSeq(node)) return
  const children = node.items.map((item) => (isPair(item) ? item.value : item) as Node | null)
  if (depth > 2 && children.length > 0 && children.every((child) => isScalar(child))) node.flow = true
  for (const child of children) styleOf(child, depth + 1)
}

function styleText(node: Scalar): void {
  if (typeof node.value !== 'string') return
  const [, fraction = ''] = /^\d{1,6}(?:\.(\d{1,9}))?$/.exec(node.value) ?? []
  if (node.value.includes('${')) node.type = Scalar.QUOTE_DOUBLE
  else if (Number(node.value).toFixed(fraction.length) === node.value && !String(Number(node.value)).includes('e')) {
    node.value = Number(node.value)
    node.minFractionDigits = fraction.length
  }
}
