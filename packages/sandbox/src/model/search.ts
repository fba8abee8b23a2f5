// What the embedded model finds on the web: always the same two pages, and what it cites of them.
import type { SandboxRequest } from '../request/sandbox-request.ts'
import { utf8Bytes } from './tokens.ts'

export type Page = { url: string; title: string }

export type SearchHead = { kind: 'search'; id: string; query: string; pages: readonly Page[] }

/** The part of the answer that the pages are cited for, in characters and in bytes. */
export type Cited = { pages: readonly Page[]; text: string; start: number; end: number; bytes: [number, number] }

const PAGES: readonly Page[] = [
  { url: 'https://sandbox.example/almanac', title: 'Sandbox almanac' },
  { url: 'https://sandbox.example/handbook', title: 'Sandbox handbook' },
]
const LONGEST_QUERY = 80

/** Undefined: no search is made. One that is forced is made whatever the prompt says. */
export function searchFor(request: SandboxRequest, wanted: boolean): SearchHead | undefined {
  const { search, lastUser, fingerprint } = request
  if (search === 'none' || (search === 'offered' && !wanted)) return undefined
  const query = lastUser.slice(0, LONGEST_QUERY).replaceAll(/\s+/g, ' ').trim()
  return { kind: 'search', id: fingerprint.slice(0, 24), query, pages: PAGES }
}

/** The sentence that begins a searched answer, after its label. */
export function citedSentence({ query, pages }: SearchHead, label: string): { text: string; cited: Cited } {
  const sentence = `Found on the web: ${query}`
  const start = label.length + 1
  const before = utf8Bytes(label) + 1
  const bytes: [number, number] = [before, before + utf8Bytes(sentence)]
  const cited = { pages, text: sentence, start, end: start + sentence.length, bytes }
  return { text: `${label} ${sentence}\n`, cited }
}
