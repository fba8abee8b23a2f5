// Chat applications, and applications that build them.

import type { Client } from '../types.ts'
import { file, form, KEY_VARIABLE, quoted } from './write.ts'

export const OPEN_WEBUI: Client = {
  id: 'open-webui',
  name: 'Open WebUI',
  kind: 'chat',
  callsFrom: 'container',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'URL',
        key: 'API key',
        model: 'Model IDs (empty: all that the key may use)',
        place: 'Admin Panel, Settings, Connections; at the first start also `OPENAI_API_BASE_URL` and `OPENAI_API_KEY`',
      },
      parts: form(
        {
          en: 'In the Admin Panel, open Settings, Connections, and add an OpenAI API connection.',
          zh: '在管理员面板中打开“设置 → 外部连接”，添加一个 OpenAI API 连接。',
        },
        { key: { en: 'API key', zh: 'API 密钥' }, baseUrl: 'URL', model: { en: 'Model IDs', zh: '模型 ID' } },
      ),
    },
  ],
}

export const LIBRECHAT: Client = {
  id: 'librechat',
  name: 'LibreChat',
  kind: 'chat',
  callsFrom: 'container',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'baseURL',
        key: 'apiKey',
        model: 'models.default',
        place: '`librechat.yaml`; the key in `.env`',
      },
      parts: ({ base, secret, model }) => [
        file(
          'librechat.yaml',
          'yml',
          'version: 1.3.17',
          'endpoints:',
          '  custom:',
          '    - name: Gateway',
          `      apiKey: "\${${KEY_VARIABLE}}"`,
          `      baseURL: ${quoted(base)}`,
          '      models:',
          `        default: [${quoted(model)}]`,
          '        fetch: true',
          '      titleConvo: true',
          '      titleModel: current_model',
        ),
        file('.env', 'ini', `${KEY_VARIABLE}=${secret}`),
      ],
    },
  ],
}

export const N8N: Client = {
  id: 'n8n',
  name: 'n8n',
  kind: 'chat',
  callsFrom: 'container',
  connections: [
    {
      protocols: ['responses', 'chat'],
      path: '/v1',
      settings: {
        baseUrl: 'Base URL',
        key: 'API Key',
        model: 'Model',
        place: 'a credential of type *OpenAI*; the model in the node *OpenAI Chat Model*',
      },
      parts: form(
        {
          en: 'Create a credential of type OpenAI, and choose the model in the node OpenAI Chat Model.',
          zh: '新建类型为 OpenAI 的凭证，然后在 OpenAI Chat Model 节点中选择模型。',
        },
        { key: 'API Key', baseUrl: 'Base URL', model: 'Model' },
      ),
    },
  ],
}

export const DIFY: Client = {
  id: 'dify',
  name: 'Dify',
  kind: 'chat',
  callsFrom: 'container',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'API Base URL',
        key: 'API Key',
        model: 'Model Name',
        place: 'Settings, Model Provider, plugin *OpenAI-API-compatible*',
      },
      parts: form(
        {
          en: 'In Settings, Model Provider, install OpenAI-API-compatible and add a model of type LLM.',
          zh: '在“设置 → 模型供应商”中安装 OpenAI-API-compatible，添加类型为 LLM 的模型。',
        },
        { key: 'API Key', baseUrl: 'API Base URL', model: { en: 'Model Name', zh: '模型名称' } },
      ),
    },
  ],
}

export const LOBECHAT: Client = {
  id: 'lobechat',
  name: 'LobeChat',
  kind: 'chat',
  callsFrom: 'container',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'OPENAI_PROXY_URL',
        key: 'OPENAI_API_KEY',
        model: 'OPENAI_MODEL_LIST',
        place: 'environment of the server',
      },
      parts: ({ base, secret, model }) => [
        file('.env', 'ini', `OPENAI_PROXY_URL=${base}`, `OPENAI_API_KEY=${secret}`, `OPENAI_MODEL_LIST=-all,+${model}`),
      ],
    },
  ],
}

export const CHERRY_STUDIO: Client = {
  id: 'cherry-studio',
  name: 'Cherry Studio',
  kind: 'chat',
  connections: [
    {
      protocols: ['chat'],
      path: '',
      settings: {
        baseUrl: 'API Address',
        key: 'API Key',
        model: 'Add model',
        place: 'Settings, Model Provider, Add, type *OpenAI*',
      },
      parts: form(
        {
          en: 'In Settings, Model Provider, add a provider of type OpenAI. Cherry Studio adds /v1 to the address itself.',
          zh: '在“设置 → 模型服务”中添加类型为 OpenAI 的服务商。Cherry Studio 会自动在地址后补上 /v1。',
        },
        {
          key: { en: 'API Key', zh: 'API 密钥' },
          baseUrl: { en: 'API Address', zh: 'API 地址' },
          model: { en: 'Add model', zh: '添加模型' },
        },
      ),
    },
  ],
}
