// The vendors' SDKs for Go.

import type { Client, Connection, SetUp } from '../types.ts'
import { ANTHROPIC_VARIABLES, GOOGLE_VARIABLES, OPENAI_VARIABLES } from './sdks.ts'
import { code, install, quoted } from './write.ts'

/** A program: `body` ends with what it prints. */
function program(imports: readonly string[], body: readonly string[]) {
  const lines = ['context', 'fmt', '', ...imports].map((name) => (name === '' ? '' : `\t${quoted(name)}`))
  return code(
    'go',
    'package main',
    '',
    'import (',
    ...lines,
    ')',
    '',
    'func main() {',
    ...body.map((line) => `\t${line}`),
    '}',
  )
}

const STOP_ON_ERROR = ['if err != nil {', '\tpanic(err)', '}']
const optionsOf = ({ base, secret }: SetUp) =>
  `option.WithBaseURL(${quoted(base)}), option.WithAPIKey(${quoted(secret)})`

function openaiParts(setUp: SetUp) {
  const { protocol, model, prompt } = setUp
  const sdk = 'github.com/openai/openai-go/v3'
  const client = `client := openai.NewClient(${optionsOf(setUp)})`
  return [
    install(`go get ${sdk}`),
    protocol === 'responses'
      ? program(
          [sdk, `${sdk}/option`, `${sdk}/responses`],
          [
            client,
            'response, err := client.Responses.New(context.Background(), responses.ResponseNewParams{',
            `\tModel: ${quoted(model)},`,
            `\tInput: responses.ResponseNewParamsInputUnion{OfString: openai.String(${quoted(prompt)})},`,
            '})',
            ...STOP_ON_ERROR,
            'fmt.Println(response.OutputText())',
          ],
        )
      : program(
          [sdk, `${sdk}/option`],
          [
            client,
            'response, err := client.Chat.Completions.New(context.Background(), openai.ChatCompletionNewParams{',
            `\tModel:    ${quoted(model)},`,
            `\tMessages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(${quoted(prompt)})},`,
            '})',
            ...STOP_ON_ERROR,
            'fmt.Println(response.Choices[0].Message.Content)',
          ],
        ),
  ]
}

function anthropicParts(setUp: SetUp) {
  const { model, prompt } = setUp
  const sdk = 'github.com/anthropics/anthropic-sdk-go'
  return [
    install(`go get ${sdk}`),
    program(
      [sdk, `${sdk}/option`],
      [
        `client := anthropic.NewClient(${optionsOf(setUp)})`,
        'response, err := client.Messages.New(context.Background(), anthropic.MessageNewParams{',
        `\tModel:     ${quoted(model)},`,
        '\tMaxTokens: 500,',
        '\tMessages: []anthropic.MessageParam{',
        `\t\tanthropic.NewUserMessage(anthropic.NewTextBlock(${quoted(prompt)})),`,
        '\t},',
        '})',
        ...STOP_ON_ERROR,
        'fmt.Println(response.Content[0].Text)',
      ],
    ),
  ]
}

function googleParts({ base, secret, model, prompt }: SetUp) {
  const sdk = 'google.golang.org/genai'
  return [
    install(`go get ${sdk}`),
    program(
      [sdk],
      [
        'ctx := context.Background()',
        'client, err := genai.NewClient(ctx, &genai.ClientConfig{',
        `\tAPIKey:      ${quoted(secret)},`,
        '\tBackend:     genai.BackendGeminiAPI,',
        `\tHTTPOptions: genai.HTTPOptions{BaseURL: ${quoted(base)}},`,
        '})',
        ...STOP_ON_ERROR,
        `response, err := client.Models.GenerateContent(ctx, ${quoted(model)}, genai.Text(${quoted(prompt)}), nil)`,
        ...STOP_ON_ERROR,
        'fmt.Println(response.Text())',
      ],
    ),
  ]
}

const options = { baseUrl: 'option.WithBaseURL', key: 'option.WithAPIKey', model: 'Model' }

const CONNECTIONS: readonly Connection[] = [
  {
    title: 'OpenAI SDK for Go',
    protocols: ['chat', 'responses'],
    path: '/v1',
    settings: { ...options, place: OPENAI_VARIABLES },
    tested: { version: 'openai-go 3.91.1', date: '2026-11-18' },
    parts: openaiParts,
  },
  {
    title: 'Anthropic SDK for Go',
    protocols: ['messages'],
    path: '',
    settings: { ...options, place: ANTHROPIC_VARIABLES },
    tested: { version: 'anthropic-sdk-go 1.84.0', date: '2026-11-18' },
    parts: anthropicParts,
  },
  {
    title: 'Google Gen AI SDK for Go',
    protocols: ['generate-content'],
    path: '',
    settings: { baseUrl: 'HTTPOptions.BaseURL', key: 'APIKey', model: 'model', place: GOOGLE_VARIABLES },
    tested: { version: 'genai 1.77.0', date: '2026-11-18' },
    parts: googleParts,
  },
]

export const GO: Client = { id: 'go', name: 'Go', kind: 'sdk', connections: CONNECTIONS }
