// The coding agents: which version is tested, its options without a terminal, and its tools for files. How each is set up for a
// gateway is the console's snippet, which run.ts follows.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'

export type Setup = {
  /** The URL of the gateway, without a path. */
  url: string
  key: string
  model: string
  prompt: string
}

export type Call = { name: string; input: Record<string, string> }

export type Agent = {
  package: string
  version: string
  /** Its script for Node inside the package. Install scripts do not run, so some programs are not in node_modules/.bin. */
  script: string
  /** What it speaks to the gateway. */
  dialect: TextDialectId
  arguments(setup: Setup): string[]
  /** Beside what the snippet sets. */
  environment?: Record<string, string>
  write(path: string, text: string): Call
  read(path: string): Call
}

export const AGENTS: Readonly<Record<string, Agent>> = {
  'claude-code': {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    script: 'cli-wrapper.cjs',
    dialect: 'messages',
    arguments: ({ prompt }) => ['-p', prompt, '--allowedTools', 'Write,Read'],
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
    write: (file_path, content) => ({ name: 'Write', input: { file_path, content } }),
    read: (file_path) => ({ name: 'Read', input: { file_path } }),
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    script: 'bin/codex.js',
    dialect: 'responses',
    // Its own sandbox needs rights that containers lack; the only commands that it runs are those below.
    arguments: ({ prompt }) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    write: (path, text) => ({ name: 'exec_command', input: { cmd: `printf '%s' '${text}' > '${path}'` } }),
    read: (path) => ({ name: 'exec_command', input: { cmd: `cat '${path}'` } }),
  },
  'gemini-cli': {
    package: '@google/gemini-cli',
    version: '0.61.0',
    script: 'bundle/gemini.js',
    dialect: 'generate-content',
    arguments: ({ model, prompt }) => ['-m', model, '--skip-trust', '--yolo', '-p', prompt],
    write: (file_path, content) => ({ name: 'write_file', input: { file_path, content } }),
    read: (file_path) => ({ name: 'read_file', input: { file_path } }),
  },
}
