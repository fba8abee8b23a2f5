// Coding agents that run in a terminal.

import type { Client } from '../types.ts'
import { exportKey, file, KEY_VARIABLE, quoted, terminal, word } from './write.ts'

export const CLAUDE_CODE: Client = {
  id: 'claude-code',
  name: 'Claude Code',
  kind: 'agent',
  connections: [
    {
      protocols: ['messages'],
      path: '',
      settings: {
        baseUrl: 'ANTHROPIC_BASE_URL',
        key: 'ANTHROPIC_API_KEY',
        model: 'ANTHROPIC_MODEL',
        place: 'environment',
      },
      tested: { agents: 'claude-code' },
      parts: ({ base, secret, model }) => [
        terminal(
          `export ANTHROPIC_BASE_URL=${word(base)}`,
          `export ANTHROPIC_API_KEY=${word(secret)}`,
          `export ANTHROPIC_MODEL=${word(model)}`,
          `export ANTHROPIC_DEFAULT_HAIKU_MODEL=${word(model)}`,
          'claude',
        ),
      ],
    },
  ],
}

export const CODEX: Client = {
  id: 'codex',
  name: 'Codex',
  kind: 'agent',
  connections: [
    {
      protocols: ['responses'],
      path: '/v1',
      settings: {
        baseUrl: 'base_url',
        key: `${KEY_VARIABLE} (env_key)`,
        model: 'model',
        place: '`~/.codex/config.toml`',
      },
      tested: { agents: 'codex' },
      parts: (setUp) => [
        file(
          '~/.codex/config.toml',
          'toml',
          `model = ${quoted(setUp.model)}`,
          'model_provider = "gateway"',
          '',
          '[model_providers.gateway]',
          'name = "Gateway"',
          `base_url = ${quoted(setUp.base)}`,
          `env_key = "${KEY_VARIABLE}"`,
          'wire_api = "responses"',
        ),
        terminal(exportKey(setUp), 'codex'),
      ],
    },
  ],
}

export const GEMINI_CLI: Client = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  kind: 'agent',
  connections: [
    {
      protocols: ['generate-content'],
      path: '',
      settings: {
        baseUrl: 'GOOGLE_GEMINI_BASE_URL',
        key: 'GEMINI_API_KEY',
        model: '-m',
        place: 'environment; `~/.gemini/settings.json`',
      },
      tested: { agents: 'gemini-cli' },
      parts: ({ base, secret, model }) => [
        file(
          '~/.gemini/settings.json',
          'json',
          '{',
          '  "security": { "auth": { "selectedType": "gemini-api-key" } },',
          '  "tools": { "exclude": ["google_web_search", "web_fetch"] }',
          '}',
        ),
        terminal(
          `export GOOGLE_GEMINI_BASE_URL=${word(base)}`,
          `export GEMINI_API_KEY=${word(secret)}`,
          `gemini -m ${word(model)}`,
        ),
      ],
    },
  ],
}

export const OPENCODE: Client = {
  id: 'opencode',
  name: 'opencode',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: { baseUrl: 'options.baseURL', key: 'options.apiKey', model: 'models, model', place: '`opencode.json`' },
      tested: { version: 'opencode-ai 1.18.33', date: '2026-11-18' },
      parts: (setUp) => [
        file(
          'opencode.json',
          'json',
          '{',
          '  "$schema": "https://opencode.ai/config.json",',
          `  "model": ${quoted(`gateway/${setUp.model}`)},`,
          '  "provider": {',
          '    "gateway": {',
          '      "npm": "@ai-sdk/openai-compatible",',
          `      "options": { "baseURL": ${quoted(setUp.base)}, "apiKey": "{env:${KEY_VARIABLE}}" },`,
          `      "models": { ${quoted(setUp.model)}: {} }`,
          '    }',
          '  }',
          '}',
        ),
        terminal(exportKey(setUp), 'opencode'),
      ],
    },
  ],
}

export const AIDER: Client = {
  id: 'aider',
  name: 'aider',
  kind: 'agent',
  connections: [
    {
      protocols: ['chat'],
      path: '/v1',
      settings: {
        baseUrl: 'OPENAI_API_BASE',
        key: 'OPENAI_API_KEY',
        model: '--model openai/...',
        place: 'environment, or `.aider.conf.yml`',
      },
      tested: { version: 'aider-chat 0.86.2', date: '2026-11-18' },
      parts: ({ base, secret, model }) => [
        terminal(
          `export OPENAI_API_BASE=${word(base)}`,
          `export OPENAI_API_KEY=${word(secret)}`,
          `aider --model ${word(`openai/${model}`)}`,
        ),
      ],
    },
  ],
}
