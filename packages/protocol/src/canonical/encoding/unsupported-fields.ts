// Rejects requests for something that the upstream cannot do and that the answer would be wrong without. Errors name the
// field as the client knows it, and come before anything is sent.

import { RequestError, unsupported } from '../reading.ts'
import type { CacheMark, CanonicalRequest, Part, SearchOptions } from '../request.ts'
import type { Warn } from '../warning.ts'
import { isSearchDemanded, isSearchName } from './web-search.ts'

/** `makes`: what the target can generate besides text. */
export function rejectOtherOutput({ modalities, from }: CanonicalRequest, makes: readonly 'image'[] = []): void {
  const other = modalities.find((modality) => !makes.some((known) => known === modality))
  if (other !== undefined) throw unsupported(from.fields.modalities, `This model cannot be asked for ${other} here.`)
}

export function rejectSeveralChoices({ sampling, from }: CanonicalRequest): void {
  if ((sampling.choices ?? 1) > 1) throw unsupported(from.fields.choices, 'This model gives one answer at a time.')
}

/**
 * Tools that another vendor runs. They are dropped, unless the answer would be another one without them. `search`: the web
 * search that the target is asked for instead.
 */
export function dropHostedTools(
  { tools, hostedTools, toolChoice, from }: CanonicalRequest,
  warn: Warn,
  search: SearchOptions | undefined,
): void {
  const cannot = (name: string): string => `The tool '${name}' cannot be run for this model.`
  const isSearch = toolChoice?.mode === 'hosted' && isSearchName(toolChoice.name) && search !== undefined
  if (toolChoice?.mode === 'hosted' && !isSearch) throw unsupported(from.fields.toolChoice, cannot(toolChoice.name))
  if (hostedTools.length === 0) return
  const dropped = hostedTools.filter((tool) => tool.search === undefined)
  const needed = tools.length > 0 || search ? undefined : dropped.find(({ name }) => name !== IMAGE_TOOL)
  if (needed !== undefined) throw unsupported(needed.at, cannot(needed.name))
  if (dropped.length > 0) warn('tools', 'dropped')
  if (dropped.length < hostedTools.length && search === undefined && toolChoice?.mode !== 'none')
    warn('webSearch', 'dropped')
}

/** The model still answers in text without it, as it does without a web search. */
const IMAGE_TOOL = 'image_generation'

/** Reasoning that no vendor signed, for targets that take back only their own, unless some of that stands beside it. */
export function warnOfUnsigned(parts: readonly Part[], warn: Warn): void {
  let isDropped = false
  for (const part of parts) {
    if (part.type === 'redacted' || ('signature' in part && part.signature !== undefined)) return
    isDropped ||= part.type === 'reasoning' && part.text !== ''
  }
  if (isDropped) warn('pastReasoning', 'dropped')
}

/** Marks for the vendor's prompt cache, for targets that take none. */
export function warnOfCacheMarks({ instructions, turns, tools }: CanonicalRequest, warn: Warn): void {
  const look = ({ cache }: { cache?: CacheMark }): void => {
    if (cache !== undefined) warn(cache.isBreakpoint ? 'cacheBreakpoint' : 'cacheMark', 'dropped')
  }
  for (const text of instructions) look(text)
  for (const tool of tools) look(tool)
  for (const { parts } of turns)
    for (const part of parts) {
      if ('cache' in part) look(part)
      if (part.type === 'result') for (const inner of part.parts) look(inner)
    }
}

/** Without tools, `auto` and `none` say nothing; the others ask for what cannot be. `search`: as above. */
export function checkToolChoice(
  { tools, toolChoice, from }: CanonicalRequest,
  search: SearchOptions | undefined,
): void {
  if (toolChoice === undefined || (tools.length === 0 && isSearchDemanded(toolChoice) && search)) return
  if (toolChoice.mode === 'auto' || toolChoice.mode === 'none' || toolChoice.mode === 'hosted') return
  const mistake = (message: string): RequestError => new RequestError('bad_request', from.fields.toolChoice, message)
  if (tools.length === 0) {
    if (toolChoice.mode === 'allowed' && !toolChoice.required) return
    throw mistake('A tool call is demanded, but the request has no tools.')
  }
  const wanted = 'names' in toolChoice ? toolChoice.names : 'name' in toolChoice ? [toolChoice.name] : undefined
  if (wanted === undefined || wanted.some((name) => tools.some((tool) => tool.name === name))) return
  throw mistake(`The tool choice names '${wanted.join(', ')}', which is not among the tools.`)
}
