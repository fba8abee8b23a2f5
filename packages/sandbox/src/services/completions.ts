// Text completions, and code in the middle: the model answers as in a chat whose message is the text, and the answer takes the form
// of the path.
import { badRequest } from '../request/errors.ts'
import { isObject } from '../request/fields.ts'
import { parseBody } from '../request/json-body.ts'

/** By the ids of routes; `text`: the choices have texts instead of messages. */
const FORMS: Readonly<Record<string, 'text' | 'chat'>> = {
  completions: 'text',
  'beta-completions': 'text',
  'fim-completions': 'chat',
}

type Fields = Readonly<Record<string, unknown>>

export type Completion = {
  /** The chat request. */
  bytes: Uint8Array
  shaped(response: Response): Response | Promise<Response>
}

/** undefined: the route is another one. */
export function readCompletion(route: string, bytes: Uint8Array): Completion | undefined {
  const form = FORMS[route]
  if (form === undefined) return undefined
  const { prompt, suffix = null, echo = false, best_of: _, logprobs: __, ...shared }: Fields = parseBody(bytes)
  if (prompt === undefined || prompt === null) throw badRequest("Missing required parameter: 'prompt'.", 'prompt')
  const [text, ...more] = Array.isArray(prompt) ? prompt : [prompt]
  if (typeof text !== 'string' || more.length > 0)
    throw badRequest('The sandbox completes one text in each request, and no token ids.', 'prompt')
  const content = typeof suffix === 'string' ? `${text}[middle]${suffix}` : text
  const before = echo === true ? text : ''
  const chat = { ...shared, messages: [{ role: 'user', content }] }
  return {
    bytes: new TextEncoder().encode(JSON.stringify(chat)),
    shaped: (response) => (form === 'chat' ? response : inText(response, before)),
  }
}

async function inText(response: Response, before: string): Promise<Response> {
  const { status, headers, body } = response
  if (status !== 200 || body === null || headers.has('content-encoding')) return response
  if (/event-stream/.test(headers.get('content-type') ?? ''))
    return new Response(body.pipeThrough(lineByLine((line) => lineInText(line))), { headers })
  const whole = await response.text()
  return new Response(reshaped(whole, before) ?? whole, { headers })
}

const lineInText = (line: string): string => {
  const data = line.startsWith('data: ') ? reshaped(line.slice('data: '.length), '') : undefined
  return data === undefined ? line : `data: ${data}`
}

/** undefined: it is no answer. */
function reshaped(text: string, before: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text)
    if (!isObject(body) || !Array.isArray(body.choices)) return undefined
    const choices = body.choices.map(({ message, delta, ...rest }: Record<string, Fields>) => ({
      ...rest,
      text: before + String((message ?? delta)?.content ?? ''),
      logprobs: null,
    }))
    return JSON.stringify({ ...body, object: 'text_completion', choices })
  } catch {
    return undefined
  }
}

function lineByLine(change: (line: string) => string): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  let rest = ''
  return new TransformStream({
    transform(bytes, controller) {
      const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) controller.enqueue(encoder.encode(`${lines.map(change).join('\n')}\n`))
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(encoder.encode(rest))
    },
  })
}
