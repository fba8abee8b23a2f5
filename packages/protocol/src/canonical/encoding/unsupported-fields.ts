// What no upstream can do, or not this one, and an answer would be wrong without. Said before anything is sent, with
// the field named as the caller knows it.

import { RequestError, unsupported } from '../reading.ts'
import type { CanonicalRequest, TextDialectId } from '../request.ts'
import type { Warn } from '../warning.ts'

type Asked = { choices: string | undefined; modalities: string | undefined; toolChoice: string }

/** Where callers of each dialect say it; undefined where they cannot. */
const FIELDS: Readonly<Record<TextDialectId, Asked>> = {
  chat: { choices: 'n', modalities: 'modalities', toolChoice: 'tool_choice' },
  responses: { choices: undefined, modalities: undefined, toolChoice: 'tool_choice' },
  messages: { choices: undefined, modalities: undefined, toolChoice: 'tool_choice' },
  'generate-content': {
    choices: 'generationConfig.candidateCount',
    modalities: 'generationConfig.responseModalities',
    toolChoice: 'toolConfig.functionCallingConfig',
  },
}

/** `makes`: what the target can be asked for besides text. */
export function rejectOtherOutput({ modalities, from }: CanonicalRequest, makes: readonly 'image'[] = []): void {
  const other = modalities.find((modality) => !makes.some((known) => known === modality))
  if (other !== undefined) throw unsupported(FIELDS[from].modalities, `This model cannot be asked for ${other} here.`)
}

export function rejectSeveralChoices({ sampling, from }: CanonicalRequest): void {
  if ((sampling.choices ?? 1) > 1) throw unsupported(FIELDS[from].choices, 'This model gives one answer at a time.')
}

/** Tools that another vendor runs. They are left out, unless the answer would be another one without them. */
export function dropHostedTools({ tools, hostedTools, toolChoice, from }: CanonicalRequest, warn: Warn): void {
  const cannot = (name: string): string => `The tool '${name}' cannot be run for this model.`
  if (toolChoice?.mode === 'hosted') throw unsupported(FIELDS[from].toolChoice, cannot(toolChoice.name))
  const first = hostedTools[0]
  if (first === undefined) return
  if (tools.length === 0) throw unsupported(first.at, cannot(first.name))
  warn('tools', 'dropped')
}

/** Without tools, `auto` and `none` say nothing; the others ask for what cannot be. */
export function checkToolChoice({ tools, toolChoice, from }: CanonicalRequest): void {
  if (toolChoice === undefined) return
  if (toolChoice.mode === 'auto' || toolChoice.mode === 'none' || toolChoice.mode === 'hosted') return
  const mistake = (message: string): RequestError => new RequestError('bad_request', FIELDS[from].toolChoice, message)
  if (tools.length === 0) {
    if (toolChoice.mode === 'allowed' && !toolChoice.required) return
    throw mistake('A tool call is demanded, but the request has no tools.')
  }
  const wanted = 'names' in toolChoice ? toolChoice.names : 'name' in toolChoice ? [toolChoice.name] : undefined
  if (wanted === undefined || wanted.some((name) => tools.some((tool) => tool.name === name))) return
  throw mistake(`The tool choice names '${wanted.join(', ')}', which is not among the tools.`)
}
