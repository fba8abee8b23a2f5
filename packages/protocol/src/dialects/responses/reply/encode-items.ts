// What whole answers and streams have in common: items, the Response object, figures.

import type { Logprob } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import type { MadeImage, SearchBlock } from '../../../canonical/reply.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type {
  ItemStatus,
  WrittenAnnotation,
  WrittenAnswer,
  WrittenConsumption,
  WrittenItem,
  WrittenLogprob,
  WrittenPart,
} from '../wire.ts'

/** An item while it is written. Its number is its place in the output. */
export type Draft =
  | { kind: 'message'; id: string; parts: WrittenPart[] }
  | { kind: 'reasoning'; id: string; style: 'summary' | 'full'; text: string; encrypted: string | undefined }
  | {
      kind: 'call'
      id: string
      callId: string
      name: string
      namespace: string | undefined
      custom: boolean
      text: string
    }
  | { kind: 'image'; id: string; data: string; made?: MadeImage | undefined }
  | { kind: 'search'; id: string; search: Omit<SearchBlock, 'type'> }

const PREFIXES = { message: 'msg', reasoning: 'rs', function: 'fc', custom: 'ctc', image: 'ig', search: 'ws' } as const

export const itemId = (kind: keyof typeof PREFIXES, answering: ReplyContext, index: number): string =>
  `${PREFIXES[kind]}_${answering.id}_${index}`

export function callDraft(
  answering: ReplyContext,
  index: number,
  call: { id: string; name: string; custom: boolean },
): Extract<Draft, { kind: 'call' }> {
  const kept = answering.namespaces.get(call.name)
  return {
    kind: 'call',
    id: itemId(call.custom ? 'custom' : 'function', answering, index),
    callId: call.id,
    name: kept?.name ?? call.name,
    namespace: kept?.namespace,
    custom: call.custom,
    text: '',
  }
}

/** A reasoning item that shows nothing and only carries something. */
export function carrierDraft(answering: ReplyContext, index: number, encrypted: string): Draft {
  return { kind: 'reasoning', id: itemId('reasoning', answering, index), style: 'summary', text: '', encrypted }
}

export function encodeItem(draft: Draft, status: ItemStatus): WrittenItem {
  switch (draft.kind) {
    case 'message':
      return { id: draft.id, type: 'message', role: 'assistant', status, content: draft.parts }
    case 'reasoning':
      return reasoningItem(draft, status)
    case 'call': {
      const { id, callId, name, namespace, custom, text } = draft
      const named = { call_id: callId, name, ...(namespace === undefined ? {} : { namespace }) }
      return custom
        ? { id, type: 'custom_tool_call', ...named, input: text }
        : { id, type: 'function_call', ...named, arguments: text, status }
    }
    case 'image':
      return status === 'in_progress'
        ? { id: draft.id, type: 'image_generation_call', status, result: null }
        : imageItem(draft)
    case 'search':
      return searchItem(draft, status)
  }
}

function searchItem({ id, search }: Extract<Draft, { kind: 'search' }>, status: ItemStatus): WrittenItem {
  const { queries, results, failed } = search
  return {
    id,
    type: 'web_search_call',
    status: status === 'in_progress' ? status : failed ? 'failed' : 'completed',
    action: {
      type: 'search',
      query: queries[0] ?? '',
      queries: [...queries],
      sources: results.map(({ url }) => ({ type: 'url', url })),
    },
  }
}

function imageItem({ id, data, made = {} }: Extract<Draft, { kind: 'image' }>): WrittenItem {
  const { failed, action, revisedPrompt, size, quality, background, outputFormat } = made
  return {
    id,
    type: 'image_generation_call',
    status: failed ? 'failed' : 'completed',
    ...(action === undefined ? {} : { action }),
    ...(revisedPrompt === undefined ? {} : { revised_prompt: revisedPrompt }),
    ...imageDetails({ size, quality, background, outputFormat }),
    result: failed ? null : data,
  }
}

type Details = { [name in keyof Omit<MadeImage, 'failed' | 'action' | 'revisedPrompt'>]: string | undefined }

/** Also of an image that is not complete yet. */
export const imageDetails = ({ size, quality, background, outputFormat }: Details) => ({
  ...(size === undefined ? {} : { size }),
  ...(quality === undefined ? {} : { quality }),
  ...(background === undefined ? {} : { background }),
  ...(outputFormat === undefined ? {} : { output_format: outputFormat }),
})

function reasoningItem(draft: Extract<Draft, { kind: 'reasoning' }>, status: ItemStatus): WrittenItem {
  const { id, style, text, encrypted } = draft
  const hasText = text !== ''
  return {
    id,
    type: 'reasoning',
    // Clients show summaries, and most of them nothing else: reasoning in full stands there, too.
    summary: hasText ? [{ type: 'summary_text', text }] : [],
    ...(style === 'full' && hasText ? { content: [{ type: 'reasoning_text', text }] } : {}),
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
    ...(status === 'incomplete' ? { status } : {}),
  }
}

/** `textLength`: of the text so far, the end of a citation that does not say where it ends. */
export function encodeAnnotation(citation: Citation, textLength: number): WrittenAnnotation {
  const { kind, url, title, start = 0, end = textLength } = citation
  if (kind === 'document' && url === undefined) {
    return { type: 'file_citation', file_id: '', filename: title ?? '', index: citation.start ?? end }
  }
  return { type: 'url_citation', start_index: start, end_index: end, url: url ?? '', title: title ?? '' }
}

export const encodeLogprobs = (items: readonly Logprob[]): WrittenLogprob[] =>
  items.map(({ token, logprob, bytes = [], top }) => ({
    token,
    logprob,
    bytes: [...bytes],
    top_logprobs: top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: [...(other.bytes ?? [])] })),
  }))

/** What the client is told of how it ended. */
export type Ending = Pick<WrittenAnswer, 'status' | 'error' | 'incomplete_details'>

export function endingOf(stop: Stop | undefined): Ending {
  switch (stop?.reason) {
    case 'length':
    case 'context':
      return { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } }
    case 'filter':
      return { status: 'incomplete', error: null, incomplete_details: { reason: 'content_filter' } }
    case 'malformed_tool':
      return { status: 'failed', error: FAILED_CALL, incomplete_details: null }
    default:
      return { status: 'completed', error: null, incomplete_details: null }
  }
}

const FAILED_CALL = {
  type: 'server_error',
  code: 'server_error',
  message: 'The model tried to call a tool and failed at it.',
} as const

/** The Response object: what it must repeat of the request, and the answer. */
export function responseObject(
  answering: ReplyContext,
  ending: Ending,
  output: WrittenItem[],
  usage: WrittenConsumption | undefined,
): WrittenAnswer & Record<string, unknown> {
  return {
    id: `resp_${answering.id}`,
    object: 'response',
    created_at: answering.created,
    ...ending,
    ...answering.echo,
    model: answering.model,
    output,
    ...(usage === undefined ? {} : usage),
  }
}
