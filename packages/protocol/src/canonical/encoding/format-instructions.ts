// Describes the output format in the prompt, for models whose API has no field for it.

import type { OutputFormat } from '../request.ts'

/** `beside tools`: the model may call tools before it gives the answer that has to be JSON. */
export function formatInstructions(format: OutputFormat, use: 'alone' | 'beside tools'): string | undefined {
  if (format.type === 'text') return undefined
  const isObject = format.type === 'json' || format.schema.type === 'object' || format.schema.properties !== undefined
  const bare = `Answer with one JSON ${isObject ? 'object' : 'value'} and nothing else: no explanation, no code fence.`
  const asked =
    format.type === 'json' ? bare : `${bare} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`
  return use === 'alone' ? asked : `Call tools as you need them. When you give the final answer: ${asked}`
}
