// For the tests: the sandbox through the OpenAI SDK's chat completions.
import OpenAI, { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from 'openai'
import type {
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessage,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions'
import { type Answer, type Driver, type ErrorClass, PDF, PIXEL, type Question, schemaOf } from '../driver.ts'

const ERRORS: Record<number, ErrorClass> = {
  400: BadRequestError,
  401: AuthenticationError,
  429: RateLimitError,
  500: InternalServerError,
  503: InternalServerError,
}

export function chatDriver(url: string): Driver {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 })
  return {
    name: 'chat',
    words: { stop: 'stop', length: 'length', tools: 'tool_calls', stopSequence: 'stop', refusal: 'stop' },
    errorAt: (status) => ERRORS[status] ?? APIError,
    async ask(question, how, history = []) {
      const params = paramsOf(question, history)
      if (how === 'single') return answerOf(await client.chat.completions.create(params), undefined)
      // The helper keeps only the last piece of fields it does not know.
      let reasoning = ''
      const stream = client.chat.completions.stream({
        ...params,
        stream: true,
        stream_options: { include_usage: true },
      })
      for await (const { choices } of stream) {
        const delta = choices[0]?.delta
        if (delta && 'reasoning_content' in delta) reasoning += String(delta.reasoning_content)
      }
      return answerOf(await stream.finalChatCompletion(), reasoning)
    },
    results: (answer, results) => [
      ...answer.turn,
      ...results.map(({ text }, index) => ({ role: 'tool', tool_call_id: callIds(answer)[index], content: text })),
    ],
  }
}

const callIds = ({ turn }: Answer) => (turn as ChatCompletionMessage[])[0]?.tool_calls?.map(({ id }) => id) ?? []

function paramsOf(question: Question, history: unknown[]): ChatCompletionCreateParamsNonStreaming {
  const { prompt, model = 'sandbox-text', system, tools, toolChoice, schema, maxTokens, stop, attach } = question
  const content = attach
    ? [
        { type: 'text' as const, text: prompt },
        { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PIXEL}` } },
        { type: 'file' as const, file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      ]
    : prompt
  return {
    model,
    messages: [
      ...(system ? [{ role: 'system' as const, content: system }] : []),
      { role: 'user', content },
      ...(history as ChatCompletionMessageParam[]),
    ],
    ...(tools && {
      tools: tools.map((tool) => ({
        type: 'function' as const,
        function: { name: tool.name, parameters: schemaOf(tool) },
      })),
    }),
    ...(toolChoice && { tool_choice: toolChoice }),
    ...(schema && { response_format: { type: 'json_schema', json_schema: { name: 'thing', schema } } }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(stop && { stop }),
  }
}

function answerOf({ choices, usage }: OpenAI.ChatCompletion, streamed: string | undefined): Answer {
  const [choice] = choices
  const message = choice?.message
  const single = message && 'reasoning_content' in message ? String(message.reasoning_content) : ''
  return {
    text: message?.content ?? message?.refusal ?? '',
    reasoning: streamed ?? single,
    calls: (message?.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? { name: call.function.name, input: JSON.parse(call.function.arguments) }
        : { name: call.custom.name, input: call.custom.input },
    ),
    finish: choice?.finish_reason ?? '',
    usage: {
      input: usage?.prompt_tokens ?? -1,
      output: usage?.completion_tokens ?? -1,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? -1,
      cached: usage?.prompt_tokens_details?.cached_tokens ?? -1,
    },
    turn: [message],
  }
}
