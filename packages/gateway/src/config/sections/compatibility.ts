// Section `compatibility`: what clients of other gateways send and read, beside what the vendors' clients do.

import type { YamlValue } from '../../yaml/document.ts'
import { fieldsOf } from '../../yaml/fields.ts'
import { boolean, readRows, rulesOf, setting } from '../settings/setting.ts'

export const COMPATIBILITY = {
  litellm: setting('litellm', boolean, false, {
    en: "Clients of LiteLLM need no change: paths without /v1, the header x-litellm-api-key, /key/info, /model/info, and LiteLLM's headers on responses.",
    zh: 'LiteLLM 的客户端无需修改：不带 /v1 的路径、密钥请求头、/key/info、/model/info，以及响应中 LiteLLM 的响应头。',
  }),
}

export function readCompatibility(value: YamlValue) {
  const fields = fieldsOf(value, rulesOf(COMPATIBILITY), 'compatibility: { litellm: true }')
  return fields && readRows(fields, COMPATIBILITY)
}
