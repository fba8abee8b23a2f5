// Frameworks for Python.

import { pythonLiteral as literal } from '../literals.ts'
import type { Client, Connection, SetUp } from '../types.ts'
import { ANTHROPIC_VARIABLES, OPENAI_VARIABLES } from './sdks.ts'
import { code, install } from './write.ts'

const DATE = '2026-11-18'

/** `options`: arguments beside model, base URL and key. */
function langchain(library: string, model: string, options: (setUp: SetUp) => readonly string[] = () => []) {
  const sdk = library.replaceAll('-', '_')
  return (setUp: SetUp) => [
    install(`pip install ${library}`),
    code(
      'python',
      `from ${sdk} import ${model}`,
      '',
      `model = ${model}(`,
      `    model=${literal(setUp.model)},`,
      `    base_url=${literal(setUp.base)},`,
      `    api_key=${literal(setUp.secret)},`,
      ...options(setUp).map((line) => `    ${line}`),
      ')',
      `print(model.invoke(${literal(setUp.prompt)}).text)`,
    ),
  ]
}

const named = { baseUrl: 'base_url', key: 'api_key', model: 'model' }

export const LANGCHAIN_PYTHON: Client = {
  id: 'langchain-python',
  name: 'LangChain (Python)',
  kind: 'framework',
  connections: [
    {
      title: 'LangChain for Python, `ChatOpenAI`',
      protocols: ['chat', 'responses'],
      path: '/v1',
      settings: { ...named, place: OPENAI_VARIABLES },
      tested: { version: 'langchain-openai 1.7.3', date: DATE },
      parts: langchain('langchain-openai', 'ChatOpenAI', ({ protocol }) =>
        protocol === 'responses' ? ['use_responses_api=True,'] : [],
      ),
    },
    {
      title: 'LangChain for Python, `ChatAnthropic`',
      protocols: ['messages'],
      path: '',
      settings: { ...named, place: ANTHROPIC_VARIABLES },
      tested: { version: 'langchain-anthropic 1.7.7', date: DATE },
      parts: langchain('langchain-anthropic', 'ChatAnthropic', () => ['max_tokens=500,']),
    },
    {
      title: 'LangChain for Python, `ChatGoogleGenerativeAI`',
      protocols: ['generate-content'],
      path: '',
      settings: { ...named, place: 'the code' },
      tested: { version: 'langchain-google-genai 4.4.2', date: DATE },
      parts: langchain('langchain-google-genai', 'ChatGoogleGenerativeAI'),
    },
  ],
}

export const LLAMA_INDEX: Client = {
  id: 'llama-index',
  name: 'LlamaIndex',
  kind: 'framework',
  connections: [
    {
      title: 'LlamaIndex, `OpenAILike`',
      protocols: ['chat'],
      path: '/v1',
      settings: { baseUrl: 'api_base', key: 'api_key', model: 'model', place: 'the code' },
      tested: { version: 'llama-index-llms-openai-like 0.8.1', date: DATE },
      parts: ({ base, secret, model, prompt }) => [
        install('pip install llama-index-llms-openai-like'),
        code(
          'python',
          'from llama_index.llms.openai_like import OpenAILike',
          '',
          'llm = OpenAILike(',
          `    model=${literal(model)},`,
          `    api_base=${literal(base)},`,
          `    api_key=${literal(secret)},`,
          '    is_chat_model=True,',
          '    is_function_calling_model=True,',
          ')',
          `print(llm.complete(${literal(prompt)}))`,
        ),
      ],
    },
  ],
}

/** `extra`: of the package, which is also the name of its modules. */
function pydantic(extra: string, model: string, provider: string): Connection['parts'] {
  return ({ base, secret, model: id, prompt }) => [
    install(`pip install 'pydantic-ai-slim[${extra}]'`),
    code(
      'python',
      'from pydantic_ai import Agent',
      `from pydantic_ai.models.${extra} import ${model}`,
      `from pydantic_ai.providers.${extra} import ${provider}`,
      '',
      `provider = ${provider}(base_url=${literal(base)}, api_key=${literal(secret)})`,
      `agent = Agent(${model}(${literal(id)}, provider=provider))`,
      `print(agent.run_sync(${literal(prompt)}).output)`,
    ),
  ]
}

const ofProvider = (provider: string) => ({
  baseUrl: `${provider}(base_url=...)`,
  key: 'api_key',
  model: 'first argument of the model',
})

export const PYDANTIC_AI: Client = {
  id: 'pydantic-ai',
  name: 'Pydantic AI',
  kind: 'framework',
  connections: [
    {
      title: 'Pydantic AI, `OpenAIChatModel`',
      protocols: ['chat'],
      path: '/v1',
      settings: { ...ofProvider('OpenAIProvider'), place: OPENAI_VARIABLES },
      tested: { version: 'pydantic-ai-slim 2.66.0', date: DATE },
      parts: pydantic('openai', 'OpenAIChatModel', 'OpenAIProvider'),
    },
    {
      title: 'Pydantic AI, `OpenAIResponsesModel`',
      protocols: ['responses'],
      path: '/v1',
      settings: { ...ofProvider('OpenAIProvider'), place: OPENAI_VARIABLES },
      tested: { version: 'pydantic-ai-slim 2.66.0', date: DATE },
      parts: pydantic('openai', 'OpenAIResponsesModel', 'OpenAIProvider'),
    },
    {
      title: 'Pydantic AI, `AnthropicModel`',
      protocols: ['messages'],
      path: '',
      settings: { ...ofProvider('AnthropicProvider'), place: ANTHROPIC_VARIABLES },
      tested: { version: 'pydantic-ai-slim 2.66.0', date: DATE },
      parts: pydantic('anthropic', 'AnthropicModel', 'AnthropicProvider'),
    },
    {
      title: 'Pydantic AI, `GoogleModel`',
      protocols: ['generate-content'],
      path: '',
      settings: { ...ofProvider('GoogleProvider'), place: 'the code' },
      tested: { version: 'pydantic-ai-slim 2.66.0', date: DATE },
      parts: pydantic('google', 'GoogleModel', 'GoogleProvider'),
    },
  ],
}

export const OPENAI_AGENTS_PYTHON: Client = {
  id: 'openai-agents-python',
  name: 'OpenAI Agents (Python)',
  kind: 'framework',
  connections: [
    {
      title: 'OpenAI Agents SDK for Python',
      protocols: ['responses', 'chat'],
      path: '/v1',
      settings: { baseUrl: 'OpenAIProvider(base_url=...)', key: 'api_key', model: 'model', place: OPENAI_VARIABLES },
      tested: { version: 'openai-agents 0.24.0', date: DATE },
      parts: ({ base, secret, model, prompt, protocol }) => [
        install('pip install openai-agents'),
        code(
          'python',
          'from agents import Agent, OpenAIProvider, RunConfig, Runner',
          '',
          'provider = OpenAIProvider(',
          `    base_url=${literal(base)},`,
          `    api_key=${literal(secret)},`,
          ...(protocol === 'chat' ? ['    use_responses=False,'] : []),
          ')',
          'config = RunConfig(model_provider=provider, tracing_disabled=True)',
          `agent = Agent(name="Helper", instructions="Be brief.", model=${literal(model)})`,
          `result = Runner.run_sync(agent, ${literal(prompt)}, run_config=config)`,
          'print(result.final_output)',
        ),
      ],
    },
  ],
}
