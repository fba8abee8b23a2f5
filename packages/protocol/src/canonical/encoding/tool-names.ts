// Names of tools under the target's rule, and back. The same name always becomes the same name: prompt caches and
// histories depend on it.

import type { CanonicalRequest, Tool } from '../request.ts'

export type NameRule = {
  /** One character that may stand anywhere in a name. */
  allowed: RegExp
  /** A name that may stand as it is, if it is not too long. */
  whole: RegExp
  longest: number
}

export type ToolNames = {
  /** As the target is to know it. */
  sent(name: string): string
  /** What was sent -> what the caller knows. Only names that were changed. */
  changed: ReadonlyMap<string, string>
}

/**
 * Names of all tools that the request offers, and of those that only its history knows. `reserved`: the name of a tool that the
 * target runs itself.
 */
export function toolNames(request: CanonicalRequest, rule: NameRule, reserved?: string): ToolNames {
  const names = namesOf(request)
  if (names.every((name) => fits(name, rule) && name !== reserved)) return AS_THEY_ARE
  const sentOf = new Map<string, string>()
  const taken = new Set<string>(reserved === undefined ? [] : [reserved])
  const add = (name: string): void => {
    if (sentOf.has(name)) return
    const plain = sanitised(name, rule)
    const sent = taken.has(plain) ? withHash(plain, name, rule) : plain
    taken.add(sent)
    sentOf.set(name, sent)
  }
  // Those that fit as they are go first: another name must not take theirs.
  for (const name of names) if (fits(name, rule)) add(name)
  for (const name of names) add(name)
  const changed = new Map([...sentOf].filter(([name, sent]) => name !== sent).map(([name, sent]) => [sent, name]))
  return { sent: (name) => sentOf.get(name) ?? name, changed }
}

export const NO_NAMES: ReadonlySet<string> = new Set()

/** Custom tools that go out as functions, where a target has no other, by the caller's names. */
export function wrappedNames(tools: readonly Tool[]): ReadonlySet<string> {
  const customs = tools.filter(({ custom }) => custom !== undefined)
  return customs.length === 0 ? NO_NAMES : new Set(customs.map(({ name }) => name))
}

const AS_THEY_ARE: ToolNames = { sent: (name) => name, changed: new Map() }

function namesOf(request: CanonicalRequest): string[] {
  const names: string[] = []
  for (const tool of request.tools) names.push(tool.name)
  for (const turn of request.turns) for (const part of turn.parts) if (part.type === 'call') names.push(part.name)
  return names
}

const fits = (name: string, { whole, longest }: NameRule): boolean => name.length <= longest && whole.test(name)

function sanitised(name: string, rule: NameRule): string {
  let plain = ''
  for (const character of name) plain += rule.allowed.test(character) ? character : '_'
  if (!rule.whole.test(plain)) plain = `_${plain}`
  return plain.slice(0, rule.longest)
}

function withHash(plain: string, name: string, rule: NameRule): string {
  const hash = shortHash(name).slice(0, 6)
  return `${plain.slice(0, rule.longest - 7)}_${hash}`
}

/** Not a secret, only a name that comes out the same each time: 64-bit FNV-1a, in letters and digits. */
export function shortHash(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let at = 0; at < text.length; at++) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n)
  }
  return hash.toString(36).padStart(13, '0')
}

const PLAIN_ID = /^[A-Za-z0-9_-]{1,64}$/

/** A call's id that every dialect takes: its own if it can, else always the same one in its place. */
export function callId(id: string): string {
  return PLAIN_ID.test(id) ? id : `call_${shortHash(id)}`
}
