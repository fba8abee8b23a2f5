// Parses command lines: `--name value` or `--name=value`, `--flag`, and positional arguments. Unknown options are errors.
import { UsageError } from './errors.ts'

/** `values`: an option that may be repeated. */
export type Flags = Readonly<Record<string, 'value' | 'values' | 'flag'>>
export type Arguments = {
  positionals: string[]
  values: Record<string, string>
  /** The values of options that may be repeated, in their order. */
  lists: Record<string, string[]>
  flags: Set<string>
}

export function parseArguments(args: readonly string[], allowed: Flags): Arguments {
  const parsed: Arguments = {
    positionals: [],
    values: Object.create(null),
    lists: Object.create(null),
    flags: new Set(),
  }
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    if (!word.startsWith('--') || word === '--') {
      if (word !== '--') parsed.positionals.push(word)
      continue
    }
    const [name = '', given] = splitOnce(word.slice(2))
    const kind = Object.hasOwn(allowed, name) ? allowed[name] : undefined
    if (!kind) throw new UsageError(`unknown option --${name}${suggestion(allowed)}`)
    if (kind === 'flag') {
      if (given !== undefined) throw new UsageError(`--${name} takes no value`)
      parsed.flags.add(name)
      continue
    }
    const value = given ?? args[++at]
    // If the value is missing, the next option must not be taken for it.
    if (value === undefined || (given === undefined && value.startsWith('--'))) {
      throw new UsageError(`--${name} requires a value`)
    }
    if (kind === 'values') {
      parsed.lists[name] = [...(parsed.lists[name] ?? []), value]
      continue
    }
    if (name in parsed.values) throw new UsageError(`--${name} is set twice`)
    parsed.values[name] = value
  }
  return parsed
}

function splitOnce(text: string): [string, string | undefined] {
  const at = text.indexOf('=')
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function suggestion(allowed: Flags): string {
  const names = Object.keys(allowed)
  return names.length === 0 ? '' : `; this command takes ${names.map((name) => `--${name}`).join(', ')}`
}

export function required(parsed: Arguments, name: string): string {
  const value = parsed.values[name]
  if (value === undefined || value === '') throw new UsageError(`--${name} is required`)
  return value
}
