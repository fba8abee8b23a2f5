// Coding agents in editors.

import type { Client } from '../types.ts'
import { exportKey, file, form, KEY_VARIABLE, quoted, terminal, word } from './write.ts'

const DATE = '2026-11-18'

export const CURSOR: Client = {
  id: 'cursor',
  name: 'Cursor',
  kind: 'agent',
  callsFrom: 'vendor',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'Override OpenAI Base URL',
        key: 'OpenAI API Key',
        model: 'Add model',
        place: 'Cursor Settings, Models, API Keys',
      },
      parts: form(
        {
          en: 'In Cursor Settings, open Models and expand API Keys. Turn on both settings, then add the model.',
          zh: '在 Cursor 设置中打开 Models，展开 API Keys。启用以下两项，然后添加模型。',
        },
        { key: 'OpenAI API Key', baseUrl: 'Override OpenAI Base URL', model: 'Add model' },
      ),
    },
  ],
}

const COMPATIBLE = { baseUrl: 'Base URL', key: 'API Key', model: 'Model ID' }

export const CLINE: Client = {
  id: 'cline',
  name: 'Cline',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: { ...COMPATIBLE, place: 'the settings of the extension, API Provider *OpenAI Compatible*' },
      parts: form(
        {
          en: 'In the settings of Cline, choose the API Provider OpenAI Compatible.',
          zh: '在 Cline 的设置中，将 API Provider 设为 OpenAI Compatible。',
        },
        COMPATIBLE,
      ),
    },
  ],
}

export const CLINE_CLI: Client = {
  id: 'cline-cli',
  name: 'Cline CLI',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: { baseUrl: '-b', key: '-k', model: '-m', place: '`cline auth openai-compatible`' },
      tested: { version: 'cline 3.0.65', date: DATE },
      parts: ({ base, secret, model }) => [
        terminal(`cline auth openai-compatible -b ${word(base)} -k ${word(secret)} -m ${word(model)}`, 'cline'),
      ],
    },
  ],
}

export const ROO_CODE: Client = {
  id: 'roo-code',
  name: 'Roo Code',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        ...COMPATIBLE,
        model: 'Model',
        place: 'the settings of the extension, API Provider *OpenAI Compatible*',
      },
      parts: form(
        {
          en: 'In the settings of Roo Code, choose the API Provider OpenAI Compatible.',
          zh: '在 Roo Code 的设置中，将 API Provider 设为 OpenAI Compatible。',
        },
        { ...COMPATIBLE, model: 'Model' },
      ),
    },
  ],
}

export const CONTINUE: Client = {
  id: 'continue',
  name: 'Continue',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: { baseUrl: 'apiBase', key: 'apiKey', model: 'model', place: '`~/.continue/config.yaml`' },
      tested: { version: '@continuedev/cli 1.5.47', date: DATE },
      parts: ({ base, secret, model }) => [
        file(
          '~/.continue/config.yaml',
          'yml',
          'name: Gateway',
          'version: 1.0.0',
          'schema: v1',
          'models:',
          `  - name: ${quoted(model)}`,
          '    provider: openai',
          `    model: ${quoted(model)}`,
          `    apiBase: ${quoted(base)}`,
          `    apiKey: ${quoted(secret)}`,
          '    roles: [chat, edit, apply]',
        ),
      ],
    },
  ],
}

export const ZED: Client = {
  id: 'zed',
  name: 'Zed',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'api_url',
        key: `${KEY_VARIABLE} (from the name of the provider)`,
        model: 'available_models',
        place: '`~/.config/zed/settings.json`',
      },
      parts: (setUp) => [
        file(
          '~/.config/zed/settings.json',
          'json',
          '{',
          '  "language_models": {',
          '    "openai_compatible": {',
          '      "gateway": {',
          `        "api_url": ${quoted(setUp.base)},`,
          `        "available_models": [{ "name": ${quoted(setUp.model)}, "max_tokens": 128000 }]`,
          '      }',
          '    }',
          '  }',
          '}',
        ),
        terminal(exportKey(setUp), 'zed'),
      ],
    },
  ],
}
