// The vendors' SDKs for Java.

import type { Client, Connection, SetUp } from '../types.ts'
import { ANTHROPIC_VARIABLES, GOOGLE_VARIABLES, OPENAI_VARIABLES } from './sdks.ts'
import { code, install, quoted } from './write.ts'

const VERSIONS = {
  'com.openai:openai-java': '4.96.0',
  'com.anthropic:anthropic-java': '3.10.0',
  'com.google.genai:google-genai': '1.70.0',
} as const
type Library = keyof typeof VERSIONS

/** As Gradle takes it. */
const dependency = (library: Library) => install(`implementation("${library}:${VERSIONS[library]}")`)
const tested = (library: Library) => ({
  version: `${library.split(':')[1]} ${VERSIONS[library]}`,
  date: '2026-11-18',
})

const program = (imports: readonly string[], body: readonly string[]) =>
  code(
    'java',
    ...imports.map((name) => `import ${name};`),
    '',
    'public class Hello {',
    '    public static void main(String[] args) {',
    ...body.map((line) => `        ${line}`),
    '    }',
    '}',
  )

const builtWith = ({ base, secret }: SetUp) => [
  `    .baseUrl(${quoted(base)})`,
  `    .apiKey(${quoted(secret)})`,
  '    .build();',
]

function openaiParts(setUp: SetUp) {
  const { protocol, model, prompt } = setUp
  const client = ['var client = OpenAIOkHttpClient.builder()', ...builtWith(setUp)]
  const builder = 'com.openai.client.okhttp.OpenAIOkHttpClient'
  return [
    dependency('com.openai:openai-java'),
    protocol === 'responses'
      ? program(
          [builder, 'com.openai.models.responses.ResponseCreateParams'],
          [
            ...client,
            'var response = client.responses().create(ResponseCreateParams.builder()',
            `    .model(${quoted(model)})`,
            `    .input(${quoted(prompt)})`,
            '    .build());',
            'response.output().stream()',
            '    .flatMap(item -> item.message().stream())',
            '    .flatMap(message -> message.content().stream())',
            '    .flatMap(content -> content.outputText().stream())',
            '    .forEach(part -> System.out.println(part.text()));',
          ],
        )
      : program(
          [builder, 'com.openai.models.chat.completions.ChatCompletionCreateParams'],
          [
            ...client,
            'var response = client.chat().completions().create(ChatCompletionCreateParams.builder()',
            `    .model(${quoted(model)})`,
            `    .addUserMessage(${quoted(prompt)})`,
            '    .build());',
            'System.out.println(response.choices().get(0).message().content().orElse(""));',
          ],
        ),
  ]
}

function anthropicParts(setUp: SetUp) {
  return [
    dependency('com.anthropic:anthropic-java'),
    program(
      ['com.anthropic.client.okhttp.AnthropicOkHttpClient', 'com.anthropic.models.messages.MessageCreateParams'],
      [
        'var client = AnthropicOkHttpClient.builder()',
        ...builtWith(setUp),
        'var message = client.messages().create(MessageCreateParams.builder()',
        `    .model(${quoted(setUp.model)})`,
        '    .maxTokens(500)',
        `    .addUserMessage(${quoted(setUp.prompt)})`,
        '    .build());',
        'message.content().forEach(block -> block.text().ifPresent(part -> System.out.println(part.text())));',
      ],
    ),
  ]
}

function googleParts({ base, secret, model, prompt }: SetUp) {
  return [
    dependency('com.google.genai:google-genai'),
    program(
      ['com.google.genai.Client', 'com.google.genai.types.HttpOptions'],
      [
        'var client = Client.builder()',
        `    .apiKey(${quoted(secret)})`,
        `    .httpOptions(HttpOptions.builder().baseUrl(${quoted(base)}).build())`,
        '    .build();',
        `var response = client.models.generateContent(${quoted(model)}, ${quoted(prompt)}, null);`,
        'System.out.println(response.text());',
      ],
    ),
  ]
}

const CONNECTIONS: readonly Connection[] = [
  {
    title: 'OpenAI SDK for Java',
    protocols: ['chat', 'responses'],
    path: '/v1',
    settings: { baseUrl: 'baseUrl', key: 'apiKey', model: 'model', place: OPENAI_VARIABLES },
    tested: tested('com.openai:openai-java'),
    parts: openaiParts,
  },
  {
    title: 'Anthropic SDK for Java',
    protocols: ['messages'],
    path: '',
    settings: { baseUrl: 'baseUrl', key: 'apiKey', model: 'model', place: ANTHROPIC_VARIABLES },
    tested: tested('com.anthropic:anthropic-java'),
    parts: anthropicParts,
  },
  {
    title: 'Google Gen AI SDK for Java',
    protocols: ['generate-content'],
    path: '',
    settings: { baseUrl: 'httpOptions.baseUrl', key: 'apiKey', model: 'model', place: GOOGLE_VARIABLES },
    tested: tested('com.google.genai:google-genai'),
    parts: googleParts,
  },
]

export const JAVA: Client = { id: 'java', name: 'Java', kind: 'sdk', connections: CONNECTIONS }
