// The alphabet of a streamed answer. Readers of the four dialects emit it, writers of the four dialects take it.
//
// Rules that every reader keeps, so that no writer has to think about them:
//   - `start` comes first, once; `end` or `error` comes last, once, and nothing after it;
//   - indexes of blocks count up from 0 over the whole answer, and never come again;
//   - blocks of one choice do not overlap: one is closed before the next is opened. A reader that gets interleaved
//     pieces keeps those of the later block until the earlier one is closed;
//   - the signature of a call comes before its first delta, where it is known by then: one writer must say it first;
//   - every call has an id, and within its choice no other has the same;
//   - before `end` stand, in this order: the last `close`, at most one `usage` with the final figures, one `stop` for
//     each choice that has one. Usage that is known earlier may also come earlier.

import type { ErrorInfo } from './error.ts'
import type { Stop } from './finish.ts'
import type { Citation, SearchResult } from './request.ts'
import type { Usage } from './usage.ts'

export type Logprob = {
  token: string
  logprob: number
  /** UTF-8 of the token, where the dialect says it. */
  bytes?: readonly number[]
  top: readonly { token: string; logprob: number; bytes?: readonly number[] }[]
}

export type OpenBlock =
  | { type: 'text' }
  | { type: 'reasoning'; style: 'summary' | 'full' }
  | { type: 'refusal' }
  | { type: 'call'; id: string; name: string; custom: boolean }
  /** These three are complete as they open: no delta follows. */
  | { type: 'redacted'; data: string }
  | { type: 'media'; mime: string; data: string }
  | { type: 'search'; queries: readonly string[]; results: readonly SearchResult[]; failed?: true }

export type StreamEvent =
  /** `usage`: what is known already, often the input alone. */
  | { type: 'start'; id: string | undefined; usage: Usage | undefined }
  | { type: 'open'; index: number; choice: number; block: OpenBlock }
  | { type: 'delta'; index: number; text: string }
  | { type: 'signature'; index: number; value: string }
  | { type: 'citation'; index: number; citation: Citation }
  | { type: 'logprobs'; index: number; items: readonly Logprob[] }
  | { type: 'close'; index: number }
  | { type: 'usage'; usage: Usage }
  | { type: 'stop'; choice: number; stop: Stop }
  /** Something that no other dialect can express was dropped. */
  | { type: 'omitted'; what: string }
  | { type: 'end' }
  | { type: 'error'; error: ErrorInfo }

export type Emit = (event: StreamEvent) => void
