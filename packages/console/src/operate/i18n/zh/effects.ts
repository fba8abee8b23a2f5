import type { OperateTexts } from '../texts.ts'

export const effects: OperateTexts['effects'] = {
  active_keys: (value) => `${value} 个有效密钥将停止工作。`,
  running_requests: (value) => `有 ${value} 个请求正在运行。`,
  held_usd: (value) => `正在运行的请求预留了 ${value} USD。`,
  models_no_longer_offered: (value) => `${value} 个模型将无人可以调用。`,
  keys_in_group: (value) => `此分组中有 ${value} 个密钥。`,
  keys_that_lose_models: (value) => `${value} 个密钥可调用的模型会减少。`,
  refund_usd: (value) => `将入账 ${value} USD。`,
  balance_after_usd: (value) => `操作后余额为 ${value} USD。`,
  sessions_ended: (value) => `${value} 个浏览器将退出登录。`,
  admin_keys_stopped: (value) => `其创建的 ${value} 个管理密钥将停止工作。`,
}
