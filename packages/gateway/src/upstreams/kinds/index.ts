// The only list of upstream kinds. Each describes what its vendor documents; docs/reference/upstream-kinds.md has the table.
import type { UpstreamKind } from '../../config/upstream-kinds.ts'
import {
  azure,
  azureClassic,
  azureClaude,
  bedrock,
  bedrockClaude,
  bedrockInvoke,
  bedrockMantle,
  vertex,
  vertexClaude,
  vertexExpress,
} from './clouds.ts'
import { deepseek, fireworks, groq, mistral, moonshot, openrouter, qwen, together, xai } from './hosts.ts'
import { llamaCpp, lmStudio, ollama, vllm } from './local.ts'
import { cohere, infinity, jina, siliconflow, speaches, tei, voyage } from './services.ts'
import { anthropic, ark, gemini, openai } from './vendors.ts'

const ALL: readonly UpstreamKind[] = [
  openai,
  anthropic,
  gemini,
  ark,
  azure,
  azureClassic,
  azureClaude,
  vertex,
  vertexClaude,
  vertexExpress,
  bedrock,
  bedrockClaude,
  bedrockInvoke,
  bedrockMantle,
  deepseek,
  mistral,
  groq,
  xai,
  moonshot,
  qwen,
  openrouter,
  together,
  fireworks,
  ollama,
  vllm,
  llamaCpp,
  lmStudio,
  cohere,
  voyage,
  jina,
  siliconflow,
  tei,
  infinity,
  speaches,
]

export const KINDS: ReadonlyMap<string, UpstreamKind> = new Map(ALL.map((kind) => [kind.kind, kind]))
