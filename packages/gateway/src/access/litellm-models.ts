// Entries of the list of models as LiteLLM writes it.
import type { ListedModel, WrittenModel } from '@trivium/protocol/dialects/model-list.ts'

/** LiteLLM's words for what models generate; those of others are ours. */
const MODES: Readonly<Record<string, string>> = {
  image: 'image_generation',
  video: 'video_generation',
  speech: 'audio_speech',
  transcription: 'audio_transcription',
}

export function litellmEntry({ id, type, context, maxOutput, price, capabilities }: ListedModel) {
  return {
    model_name: id,
    litellm_params: { model: id },
    model_info: {
      id,
      mode: type === undefined ? 'chat' : (MODES[type] ?? type),
      max_input_tokens: context ?? null,
      max_output_tokens: maxOutput ?? null,
      input_cost_per_token: perToken(price?.input),
      output_cost_per_token: perToken(price?.output),
      supports_vision: capabilities?.includes('images') ?? null,
      supports_function_calling: capabilities?.includes('tools') ?? null,
      supports_reasoning: capabilities?.includes('reasoning') ?? null,
    },
  }
}

/** For display, as LiteLLM has it: receipts have the exact amounts. */
const perToken = (perMillion: unknown): number | null =>
  perMillion === undefined || perMillion === null ? null : Number(perMillion) / 1_000_000

export const litellmList = (models: readonly WrittenModel[]): string =>
  `{"data":[${models.map(({ json }) => json).join(',')}]}`
