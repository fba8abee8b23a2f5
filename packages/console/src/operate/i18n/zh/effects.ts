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
  models_left_without_route: (value) => `${value} 个模型将失去最后一条路由。`,
  models_without_route: (value) => `没有路由的模型：${value}`,
  sandbox_off: () => '沙盒将关闭：其模型不能再被调用。',
  sandbox_on: () => '沙盒将开启。',
  registration_closed: () => '注册将关闭：不能再自行注册。',
  trial_credit_taken_back: () => '未用完的沙盒试用额度将被收回。',
  default_group_written: () => '同时写入 default 分组：包含所有模型，倍率为 1，与没有分组时相同。',
}
