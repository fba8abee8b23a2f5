import type { OperateTexts } from '../texts.ts'

export const effects: OperateTexts['effects'] = {
  active_keys: (value) => `${value} 个有效密钥将停止工作。`,
  running_requests: (value) => `有 ${value} 个请求正在运行。`,
  held_usd: (value) => `正在运行的请求预留了 ${value} USD。`,
  balance_after_usd: (value) => `操作后余额为 ${value} USD。`,
}
