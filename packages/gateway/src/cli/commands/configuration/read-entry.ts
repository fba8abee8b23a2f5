// The fields of an entry of the configuration, from a file and from options. Values are written as in a configuration file; amounts keep
// their digits.
import { mapSecrets } from '../../../config/secret-paths.ts'
import type { EntryKind } from '../../../config/stored.ts'
import { parseDocumentOf, type YamlValue } from '../../../yaml/document.ts'
import { plainValue } from '../../../yaml/plain-value.ts'
import { substitute } from '../../../yaml/substitute.ts'
import type { CommandContext } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { readText } from '../read-text.ts'

export type Fields = Record<string, unknown>

/** The fields of one entry. `${NAME}` is expanded here, by the environment of the command: what is stored never is. */
export async function readEntryFile(file: string, { variables }: CommandContext): Promise<Fields> {
  const source = await readText(file)
  const name = file === '-' ? 'standard input' : file
  const root = parsed(source, name, variables)
  const value = root && plainValue(root)
  if (!root || typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${name} must have the fields of one entry, such as 'kind: openai'`)
  const { unset, malformed, unread } = substitute(source, root.context)
  const wrong = [...unset.map((each) => `\${${each}}`), ...malformed, ...unread.map(({ written }) => written)]
  if (wrong.length > 0) throw new UsageError(`${name} refers to what cannot be read: ${wrong.join(', ')}`)
  return value as Fields
}

/** What follows `=`. An empty value is most often a variable of the shell that is not set. */
export function readValue(text: string, option: string): unknown {
  const root = parsed(text, option, {})
  if (root) return plainValue({ ...root, context: { ...root.context, isLiteral: true } })
  if (/^(null|~)$/.test(text.trim())) return null
  throw new UsageError(`${option} has no value; null removes a field`)
}

function parsed(source: string, name: string, env: CommandContext['variables']): YamlValue | undefined {
  const { context, root } = parseDocumentOf(source, name, env)
  const [mistake] = context.mistakes
  if (mistake) throw new UsageError(`${name}: ${mistake.message}`)
  return root
}

/** `price.input=2.50`, into these fields. */
export function setField(fields: Fields, written: string): void {
  const [, path, text = ''] = /^([\w.-]+)=(.*)$/s.exec(written) ?? []
  if (path === undefined) throw new UsageError(`--set must be FIELD=VALUE such as max_concurrency=64, not '${written}'`)
  setAt(fields, path.split('.'), readValue(text, `--set ${path}`))
}

export function setAt(fields: Fields, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (['', '__proto__'].includes(name)) throw new UsageError('a field has no name: write it as in server.limits.body')
  const within = Object.hasOwn(fields, name) ? fields[name] : undefined
  const inner = typeof within === 'object' && within !== null && !Array.isArray(within) ? { ...within } : {}
  if (rest.length > 0) setAt(inner as Fields, rest, value)
  fields[name] = rest.length > 0 ? inner : value
}

/** Other users of the machine see the arguments of a command. `instead`: where the secret can be written. */
export function rejectSecrets(entry: { kind: EntryKind; id: string; value: unknown }, instead: string): void {
  mapSecrets(entry, (secret, path) => {
    if (secret === null) return secret
    throw new UsageError(`${path || entry.id} is a secret, which other users can see in an argument: ${instead}`)
  })
}
