// The small things of an answer: figures, reasons, citations, probabilities. All as tolerant as upstreams are careless.

import type { Logprob } from '../../../canonical/event.ts'
import type { Stop } from '../../../canonical/finish.ts'
import { sniffMime } from '../../../canonical/media.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { SearchBlock } from '../../../canonical/reply.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { ReadEvent, ReadResponse } from '../wire.ts'

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** `ended`: what the answer had in it, since the status of a completed one does not say. */
export function decodeStop(response: ReadResponse, ended: { inCall: boolean; inRefusal: boolean }): Stop {
  const status = textOf(response.status) || 'completed'
  if (status === 'incomplete') {
    const details = response.incomplete_details
    const raw = (isObject(details) && textOf(details.reason)) || status
    return { raw, reason: raw === 'content_filter' ? 'filter' : 'length' }
  }
  return { raw: status, reason: ended.inCall ? 'tool' : ended.inRefusal ? 'refusal' : 'end' }
}

/** Undefined for kinds that mean nothing without the vendor's own store. */
export function decodeAnnotation(value: unknown): Citation | undefined {
  if (!isObject(value)) return undefined
  const title = textOf(value.title) || textOf(value.filename)
  const start = numberOf(value.start_index) ?? numberOf(value.index)
  const end = numberOf(value.end_index)
  const place = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) }
  const named = title === '' ? {} : { title }
  if (typeof value.url === 'string') return { kind: 'url', url: value.url, ...named, ...place }
  return title === '' ? undefined : { kind: 'document', title, ...place }
}

export function decodeLogprobs(value: unknown): Logprob[] {
  return listOf(value).flatMap((entry) => {
    const chosen = readToken(entry)
    if (chosen === undefined) return []
    const others = isObject(entry) ? listOf(entry.top_logprobs) : []
    return [{ ...chosen, top: others.flatMap((other) => readToken(other) ?? []) }]
  })
}

function readToken(value: unknown): { token: string; logprob: number; bytes?: readonly number[] } | undefined {
  if (!isObject(value) || typeof value.token !== 'string' || typeof value.logprob !== 'number') return undefined
  const bytes = Array.isArray(value.bytes) ? value.bytes.filter((byte) => typeof byte === 'number') : []
  return { token: value.token, logprob: value.logprob, ...(bytes.length === 0 ? {} : { bytes }) }
}

/** The one that results refer to first; an empty one only where there is no other. */
export function idsOfCall(wire: Json): string[] {
  const ids = [textOf(wire.call_id), textOf(wire.id)].filter((id) => id !== '')
  return ids.length === 0 ? [''] : ids
}

/** The length of the text of all messages in a list of items. */
export function lengthOfText(output: readonly unknown[]): number {
  let length = 0
  for (const item of output) {
    if (!isObject(item) || item.type !== 'message') continue
    for (const part of listOf(item.content)) {
      if (isObject(part)) length += (textOf(part.text) || textOf(part.refusal)).length
    }
  }
  return length
}

/** The image that a hosted tool made, if the item holds it. */
export function decodeImage(item: Json): { mime: string; data: string } | undefined {
  if (item.type !== 'image_generation_call' || typeof item.result !== 'string' || item.result === '') return undefined
  const named = typeof item.output_format === 'string' ? `image/${item.output_format}` : 'image/png'
  return { mime: sniffMime(item.result) ?? named, data: item.result }
}

/** A web search; undefined for what is done with a page that a search has found. */
export function decodeSearch({ action, status }: Json): Omit<SearchBlock, 'type'> | undefined {
  const done = isObject(action) ? action : {}
  if (done.type !== undefined && done.type !== 'search') return undefined
  const queries = listOf(done.queries).map(textOf)
  const asked = queries.length > 0 ? queries : [textOf(done.query)]
  const results = listOf(done.sources).flatMap((source) => {
    if (!isObject(source) || typeof source.url !== 'string') return []
    return [{ url: source.url, ...(typeof source.title === 'string' ? { title: source.title } : {}) }]
  })
  return {
    queries: asked.filter((query) => query !== ''),
    results,
    ...(status === 'failed' ? { failed: true } : {}),
  }
}

/** A call's arguments: text, though some write the object itself. */
export function decodeArguments(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : textOf(value)
}

export const contentIndex = (event: ReadEvent): number =>
  typeof event.content_index === 'number' ? event.content_index : 0

export function reasoningIndex(event: ReadEvent, style: 'summary' | 'full'): number {
  const index = style === 'summary' ? event.summary_index : event.content_index
  return typeof index === 'number' ? index : 0
}
