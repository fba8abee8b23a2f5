// What the types of channels are here. Their numbers differ between the programs.

export type ChannelTarget =
  /** `kind`: of the upstream, if any. `base`: the URL if the channel names none; `suffix`: what the program adds to it. */
  | { kind?: string; base: string; suffix: string; region?: 'china'; keyless?: true }
  /** Each has fields of its own. */
  | 'azure'
  | 'aws'
  | 'vertex'
  /** The channel has the whole URL of the chat. */
  | 'custom'
  /** The vendor, which has no equivalent. */
  | { without: string }
export type ChannelTypes = Readonly<Record<number, ChannelTarget>>

export const V1 = '/v1'
/** A service with the chat protocol of OpenAI. */
export const chat = (base: string, suffix = V1): ChannelTarget => ({ base, suffix })
export const vendor = (kind: string, base: string, suffix = V1): ChannelTarget => ({ kind, base, suffix })
/** Its site in mainland China. */
export const mainland = (kind: string, base: string, suffix = V1): ChannelTarget => ({
  kind,
  base,
  suffix,
  region: 'china',
})
export const without = (name: string): ChannelTarget => ({ without: name })

/** The numbers that both programs have given alike. */
export const COMMON_TYPES: ChannelTypes = {
  1: vendor('openai', 'https://api.openai.com'),
  3: 'azure',
  6: chat('https://api.openaimax.com'),
  7: chat('https://api.ohmygpt.com'),
  8: 'custom',
  9: chat('https://api.caipacity.com'),
  10: chat('https://api.aiproxy.io'),
  11: without('PaLM'),
  12: chat('https://api.api2gpt.com'),
  13: chat('https://api.aigc2d.com'),
  14: vendor('anthropic', 'https://api.anthropic.com', ''),
  15: without('Baidu'),
  16: without('Zhipu'),
  17: mainland('qwen', 'https://dashscope.aliyuncs.com', ''),
  18: without('Xunfei'),
  20: vendor('openrouter', 'https://openrouter.ai/api'),
  21: without('AI Proxy Library'),
  22: without('FastGPT'),
  23: without('Tencent'),
  24: vendor('gemini', 'https://generativelanguage.googleapis.com', '/v1beta'),
  25: mainland('moonshot', 'https://api.moonshot.cn', ''),
  31: chat('https://api.lingyiwanwu.com'),
  33: 'aws',
}
