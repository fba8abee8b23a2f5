// Frameworks for JavaScript.

import { javascriptLiteral as literal } from '../literals.ts'
import type { Client, Connection, SetUp } from '../types.ts'
import { ANTHROPIC_VARIABLES, OPENAI_VARIABLES } from './sdks.ts'
import { code, install } from './write.ts'

/** A provider of the AI SDK: `factory` of `sdk`, whose base URL ends in the version of the API. */
function aiSdk(sdk: string, factory: string, more = '') {
  return ({ base, secret, model, prompt }: SetUp) => [
    install(`npm install ai ${sdk}`),
    code(
      'js',
      `import { ${factory} } from '${sdk}'`,
      "import { generateText } from 'ai'",
      '',
      `const gateway = ${factory}({ ${more}baseURL: ${literal(base)}, apiKey: ${literal(secret)} })`,
      'const { text } = await generateText({',
      `  model: gateway(${literal(model)}),`,
      `  prompt: ${literal(prompt)},`,
      '})',
      'console.log(text)',
    ),
  ]
}

const aiSettings = { baseUrl: 'baseURL', key: 'apiKey', model: 'gateway(model)' }

export const AI_SDK: Client = {
  id: 'ai-sdk',
  name: 'AI SDK',
  kind: 'framework',
  connections: [
    {
      title: 'AI SDK, `createOpenAI`',
      protocols: ['responses'],
      path: '/v1',
      settings: { ...aiSettings, place: OPENAI_VARIABLES },
      tested: { package: '@ai-sdk/openai' },
      parts: aiSdk('@ai-sdk/openai', 'createOpenAI'),
    },
    {
      title: 'AI SDK, `createOpenAICompatible`',
      protocols: ['chat'],
      path: '/v1',
      settings: { ...aiSettings, place: 'the code' },
      tested: { package: '@ai-sdk/openai-compatible' },
      parts: aiSdk('@ai-sdk/openai-compatible', 'createOpenAICompatible', "name: 'gateway', "),
    },
    {
      title: 'AI SDK, `createAnthropic`',
      protocols: ['messages'],
      path: '/v1',
      settings: { ...aiSettings, place: ANTHROPIC_VARIABLES },
      tested: { package: '@ai-sdk/anthropic' },
      parts: aiSdk('@ai-sdk/anthropic', 'createAnthropic'),
    },
    {
      title: 'AI SDK, `createGoogleGenerativeAI`',
      protocols: ['generate-content'],
      path: '/v1beta',
      settings: { ...aiSettings, place: 'the code' },
      tested: { package: '@ai-sdk/google' },
      parts: aiSdk('@ai-sdk/google', 'createGoogleGenerativeAI'),
    },
  ],
}

/** `options`: the lines between the model and the end of the constructor. */
function langchain(sdk: string, model: string, options: (setUp: SetUp) => readonly string[]) {
  return (setUp: SetUp) => [
    install(`npm install @langchain/core ${sdk}`),
    code(
      'js',
      `import { ${model} } from '${sdk}'`,
      '',
      `const model = new ${model}({`,
      `  model: ${literal(setUp.model)},`,
      `  apiKey: ${literal(setUp.secret)},`,
      ...options(setUp).map((line) => `  ${line}`),
      '})',
      `const answer = await model.invoke(${literal(setUp.prompt)})`,
      'console.log(answer.text)',
    ),
  ]
}

export const LANGCHAIN_JS: Client = {
  id: 'langchain-js',
  name: 'LangChain (JavaScript)',
  kind: 'framework',
  connections: [
    {
      title: 'LangChain for JavaScript, `ChatOpenAI`',
      protocols: ['chat', 'responses'],
      path: '/v1',
      settings: { baseUrl: 'configuration.baseURL', key: 'apiKey', model: 'model', place: OPENAI_VARIABLES },
      tested: { package: '@langchain/openai' },
      parts: langchain('@langchain/openai', 'ChatOpenAI', ({ base, protocol }) => [
        ...(protocol === 'responses' ? ['useResponsesApi: true,'] : []),
        `configuration: { baseURL: ${literal(base)} },`,
      ]),
    },
    {
      title: 'LangChain for JavaScript, `ChatAnthropic`',
      protocols: ['messages'],
      path: '',
      settings: { baseUrl: 'anthropicApiUrl', key: 'apiKey', model: 'model', place: ANTHROPIC_VARIABLES },
      tested: { package: '@langchain/anthropic' },
      parts: langchain('@langchain/anthropic', 'ChatAnthropic', ({ base }) => [
        `anthropicApiUrl: ${literal(base)},`,
        'maxTokens: 500,',
      ]),
    },
    {
      title: 'LangChain for JavaScript, `ChatGoogleGenerativeAI`',
      protocols: ['generate-content'],
      path: '',
      settings: { baseUrl: 'baseUrl', key: 'apiKey', model: 'model', place: 'the code' },
      tested: { package: '@langchain/google-genai' },
      parts: langchain('@langchain/google-genai', 'ChatGoogleGenerativeAI', ({ base }) => [
        `baseUrl: ${literal(base)},`,
      ]),
    },
  ],
}

const agentsParts: Connection['parts'] = ({ base, secret, model, prompt, protocol }) => [
  install('npm install @openai/agents'),
  code(
    'js',
    "import { Agent, OpenAIProvider, Runner } from '@openai/agents'",
    '',
    'const modelProvider = new OpenAIProvider({',
    `  baseURL: ${literal(base)},`,
    `  apiKey: ${literal(secret)},`,
    ...(protocol === 'chat' ? ['  useResponses: false,'] : []),
    '})',
    'const runner = new Runner({ modelProvider, tracingDisabled: true })',
    `const agent = new Agent({ name: 'Helper', instructions: 'Be brief.', model: ${literal(model)} })`,
    `const result = await runner.run(agent, ${literal(prompt)})`,
    'console.log(result.finalOutput)',
  ),
]

export const OPENAI_AGENTS_JS: Client = {
  id: 'openai-agents-js',
  name: 'OpenAI Agents (JavaScript)',
  kind: 'framework',
  connections: [
    {
      title: 'OpenAI Agents SDK for JavaScript',
      protocols: ['responses', 'chat'],
      path: '/v1',
      settings: { baseUrl: 'OpenAIProvider({ baseURL })', key: 'apiKey', model: 'model', place: OPENAI_VARIABLES },
      tested: { package: '@openai/agents' },
      parts: agentsParts,
    },
  ],
}
