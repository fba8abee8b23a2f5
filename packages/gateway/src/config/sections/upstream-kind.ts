// An upstream with a built-in description: what the file adds to it, and what it may say otherwise.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import { nearest } from '../closest-match.ts'
import type { Upstream } from '../types.ts'
import type { Kind, Spoken } from '../upstream-kinds.ts'
import { addMistake, type Value } from '../yaml/document.ts'
import { type Fields, quote } from '../yaml/fields.ts'
import { readText, readUrl, readWord, withoutTrailingSlash } from '../yaml/scalars.ts'

export const SANDBOX_KIND = 'sandbox'

/** Undefined: it is none, and that was said. */
export function readKind(value: Value, kinds: ReadonlyMap<string, Kind>): Kind | typeof SANDBOX_KIND | undefined {
  const written = readText(value)
  if (written === undefined || written === SANDBOX_KIND) return written
  const kind = kinds.get(written)
  if (kind) return kind
  const known = [...kinds.keys(), SANDBOX_KIND]
  const guess = nearest(written, known)
  const hint = guess
    ? `did you mean ${guess}?`
    : `known are ${known.join(', ')}; or remove kind and give dialect and base_url`
  addMistake(value, `there is no kind ${quote(written)}; ${hint}`)
  return undefined
}

type Described = Pick<Upstream, 'kind' | 'dialect' | 'baseUrl' | 'speaks' | 'service' | 'otherCaps' | 'health'>

export function readDescribed(fields: Fields, kind: Kind): Described {
  const speaks = readSpeaks(fields, kind)
  const readBase = (value: Value) => readBaseUrl(value, kind)
  const baseUrl = kind.baseUrl
    ? fields.optional('base_url', readBase, kind.baseUrl)
    : fields.required('base_url', readBase, `${kind.name} needs your own address, such as ${kind.example}`)
  return described(kind, baseUrl ?? '', speaks)
}

export function described(kind: Kind, baseUrl: string, speaks: readonly Spoken[] = kind.speaks): Described {
  const { service, otherCaps, health } = kind
  const known = {
    ...(service ? { service } : {}),
    ...(otherCaps ? { otherCaps } : {}),
    ...(health ? { health } : {}),
  }
  return { kind: kind.kind, dialect: speaks[0]?.dialect, baseUrl, speaks, ...known }
}

/** A written dialect holds for every request: for models that do not speak all that their vendor does. */
function readSpeaks(fields: Fields, kind: Kind): readonly Spoken[] {
  const dialects = kind.speaks.map(({ dialect }) => dialect)
  const only = fields.optional<TextDialectId | undefined>('dialect', readWord(dialects), undefined)
  return only === undefined ? kind.speaks : kind.speaks.filter(({ dialect }) => dialect === only)
}

function readBaseUrl(value: Value, { kind, ending, baseUrl, example }: Kind): string | undefined {
  const shown = baseUrl ?? example ?? 'https://api.example.com/v1'
  const url = readUrl(value, { credentials: false, example: shown })
  if (!url) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  const isRight = ending === '' ? !/\/v1$/.test(path) : path.endsWith(ending ?? '')
  if (isRight) return withoutTrailingSlash(url)
  const rule = ending === '' ? 'has no /v1 at its end' : `ends in ${ending}`
  addMistake(value, `the base_url of kind ${kind} ${rule}, such as ${shown}`)
  return undefined
}
