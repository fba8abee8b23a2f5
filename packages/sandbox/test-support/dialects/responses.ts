// For the tests: the sandbox through the OpenAI SDK's responses.
import OpenAI, { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from 'openai'
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputItem,
} from 'openai/resources/responses/responses'
import { type Answer, type Driver, type ErrorClass, PDF, PIXEL, type Question, schemaOf } from '../driver.ts'

const ERRORS: Record<number, ErrorClass> = {
  400: BadRequestError,
  401: AuthenticationError,
  429: RateLimitError,
  500: InternalServerError,
  503: InternalServerError,
}

export function responsesDriver(url: string): Driver {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 })
  return {
    name: 'responses',
    words: {
      stop: 'completed',
      length: 'incomplete',
      tools: 'completed',
      refusal: 'completed',
      stopSequence: undefined,
    },
    errorAt: (status) => ERRORS[status] ?? APIError,
    async ask(question, how, history = []) {
      const params = paramsOf(question, history)
      if (how === 'single') return answerOf(await client.responses.create(params))
      return answerOf(await client.responses.stream({ ...params, stream: true }).finalResponse())
    },
    results: (answer, results) => [
      ...answer.turn,
      ...results.map(({ text }, index) => ({
        type: 'function_call_output',
        call_id: callIds(answer)[index],
        output: text,
      })),
    ],
  }
}

const callIds = ({ turn }: Answer) =>
  (turn as ResponseInputItem[]).flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []))

function paramsOf(question: Question, history: unknown[]): ResponseCreateParamsNonStreaming {
  const { prompt, model = 'sandbox-text', system, tools, toolChoice, schema, maxTokens, attach } = question
  const content = attach
    ? [
        { type: 'input_text' as const, text: prompt },
        { type: 'input_image' as const, detail: 'auto' as const, image_url: `data:image/png;base64,${PIXEL}` },
        { type: 'input_file' as const, filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
      ]
    : prompt
  return {
    model,
    input: [{ role: 'user', content }, ...(history as ResponseInputItem[])],
    include: ['reasoning.encrypted_content'],
    store: false,
    ...(system && { instructions: system }),
    ...(tools && {
      tools: tools.map((tool) => ({
        type: 'function' as const,
        name: tool.name,
        strict: false,
        parameters: schemaOf(tool),
      })),
    }),
    ...(toolChoice && { tool_choice: toolChoice }),
    ...(schema && { text: { format: { type: 'json_schema', name: 'thing', schema } } }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
  }
}

function answerOf({ output, usage, status }: Response): Answer {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : part.refusal)).join(''),
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])] : []))
      .map(({ text }) => text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, input: JSON.parse(item.arguments) }] : [],
    ),
    finish: status ?? '',
    usage: {
      input: usage?.input_tokens ?? -1,
      output: usage?.output_tokens ?? -1,
      reasoning: usage?.output_tokens_details.reasoning_tokens ?? -1,
      cached: usage?.input_tokens_details.cached_tokens ?? -1,
    },
    turn: output,
  }
}
