// For the tests: the sandbox through the Anthropic SDK.
import Anthropic, {
  APIError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  RateLimitError,
  ServiceUnavailableError,
} from '@anthropic-ai/sdk'
import { type Answer, type Driver, type ErrorClass, PDF, PIXEL, type Question, schemaOf } from '../driver.ts'

const ERRORS: Record<number, ErrorClass> = {
  400: BadRequestError,
  401: AuthenticationError,
  429: RateLimitError,
  500: InternalServerError,
  503: ServiceUnavailableError,
}

export function messagesDriver(url: string): Driver {
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 })
  return {
    name: 'messages',
    words: {
      stop: 'end_turn',
      length: 'max_tokens',
      tools: 'tool_use',
      refusal: 'refusal',
      stopSequence: 'stop_sequence',
    },
    errorAt: (status) => ERRORS[status] ?? APIError,
    async ask(question, how, history = []) {
      const params = paramsOf(question, history)
      if (how === 'single') return answerOf(await client.messages.create(params))
      return answerOf(await client.messages.stream(params).finalMessage())
    },
    results: (answer, results) => [
      ...answer.turn,
      {
        role: 'user',
        content: results.map(({ text, failed }, index) => ({
          type: 'tool_result',
          tool_use_id: callIds(answer)[index],
          content: text,
          ...(failed && { is_error: true }),
        })),
      },
    ],
  }
}

const callIds = ({ turn }: Answer) =>
  (turn as { content?: Anthropic.ContentBlock[] }[]).flatMap(({ content = [] }) =>
    content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
  )

function paramsOf(question: Question, history: unknown[]): Anthropic.MessageCreateParamsNonStreaming {
  const { prompt, model = 'sandbox-text', system, tools, toolChoice, schema, maxTokens = 4096, stop, attach } = question
  const content: Anthropic.ContentBlockParam[] = attach
    ? [
        { type: 'text', text: prompt },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: PDF } },
      ]
    : [{ type: 'text', text: prompt }]
  return {
    model,
    max_tokens: maxTokens,
    messages: [{ role: 'user', content }, ...(history as Anthropic.MessageParam[])],
    ...(system && { system }),
    ...(tools && { tools: tools.map((tool) => ({ name: tool.name, input_schema: schemaOf(tool) })) }),
    ...(toolChoice && { tool_choice: { type: toolChoice === 'required' ? 'any' : 'none' } }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
    ...(stop && { stop_sequences: [stop] }),
  }
}

function answerOf({ content, usage, stop_reason }: Anthropic.Message): Answer {
  const cached = usage.cache_read_input_tokens ?? 0
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
    finish: stop_reason ?? '',
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
      cached,
    },
    turn: [{ role: 'assistant', content }],
  }
}
