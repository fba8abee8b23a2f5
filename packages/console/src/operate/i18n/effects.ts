// What a change means in numbers, by the names that the API's dry runs give them. Those without a text are shown as they are.

import { en, type Said, texts } from '../../i18n/say.ts'

export const effects = texts({
  active_keys: en((value: string) =>
    value === '1' ? '1 active key stops working.' : `${value} active keys stop working.`,
  ).zh((value) => `${value} 个有效密钥将失效。`),
  keys_limited: en((value: string) =>
    value === '1' ? '1 active key is limited by it.' : `${value} active keys are limited by it.`,
  ).zh((value) => `${value} 个有效密钥将受其限制。`),
  spent_usd: en((value: string) => `${value} USD is spent in this period.`).zh(
    (value) => `本周期已花费 ${value} USD。`,
  ),
  left_usd: en((value: string) => `${value} USD is left now.`).zh((value) => `目前剩余 ${value} USD。`),
  left_after_usd: en((value: string) => `${value} USD will be left.`).zh((value) => `更改后剩余 ${value} USD。`),
  reached_after: en(() => 'Nothing will be left: new requests are rejected at once.').zh(
    () => '更改后将没有剩余，新请求会立即被拒绝。',
  ),
  running_requests: en((value: string) =>
    value === '1' ? '1 request is running.' : `${value} requests are running.`,
  ).zh((value) => `有 ${value} 个请求正在运行。`),
  held_usd: en((value: string) => `${value} USD is held for running requests.`).zh(
    (value) => `运行中的请求冻结了 ${value} USD。`,
  ),
  models_no_longer_offered: en((value: string) =>
    value === '1' ? '1 model can no longer be called.' : `${value} models can no longer be called.`,
  ).zh((value) => `${value} 个模型将无法再调用。`),
  keys_in_group: en((value: string) =>
    value === '1' ? '1 key is in this group.' : `${value} keys are in this group.`,
  ).zh((value) => `此分组中有 ${value} 个密钥。`),
  keys_that_lose_models: en((value: string) =>
    value === '1' ? '1 key can call fewer models.' : `${value} keys can call fewer models.`,
  ).zh((value) => `${value} 个密钥可调用的模型会减少。`),
  refund_usd: en((value: string) => `${value} USD is credited.`).zh((value) => `将退还 ${value} USD。`),
  balance_after_usd: en((value: string) => `The balance will be ${value} USD.`).zh(
    (value) => `操作后余额为 ${value} USD。`,
  ),
  sessions_ended: en((value: string) =>
    value === '1' ? '1 browser is signed out.' : `${value} browsers are signed out.`,
  ).zh((value) => `${value} 个浏览器将退出登录。`),
  admin_keys_stopped: en((value: string) =>
    value === '1'
      ? '1 admin key that they created stops working.'
      : `${value} admin keys that they created stop working.`,
  ).zh((value) => `其创建的 ${value} 个管理密钥将失效。`),
  models_left_without_route: en((value: string) =>
    value === '1' ? '1 model loses its last route.' : `${value} models lose their last route.`,
  ).zh((value) => `${value} 个模型将失去最后一条路由。`),
  models_without_route: en((value: string) => `Without a route: ${value}`).zh((value) => `没有路由的模型：${value}`),
  sandbox_off: en(() => 'The sandbox is turned off: its models can no longer be called.').zh(
    () => '沙盒将关闭，沙盒模型无法再调用。',
  ),
  sandbox_on: en(() => 'The sandbox is turned on.').zh(() => '沙盒将开启。'),
  registration_closed: en(() => 'Registration is closed: nobody can sign up without an invitation.').zh(
    () => '注册将关闭，没有邀请就无法注册。',
  ),
  trial_credit_taken_back: en(() => 'Unspent trial credit of the sandbox is removed.').zh(
    () => '未用完的沙盒试用额度将被收回。',
  ),
  default_group_written: en(
    () => 'The group default is created too: every model at multiplier 1, as without groups.',
  ).zh(() => '同时写入 default 分组：包含所有模型，倍率为 1，与没有分组时相同。'),
  changed: en((value: string) => `${value} will change.`).zh((value) => `${value} 项将被更改。`),
  unchanged: en((value: string) => (value === '1' ? '1 stays the same.' : `${value} stay the same.`)).zh(
    (value) => `${value} 项无需更改。`,
  ),
  rejected: en((value: string) => (value === '1' ? '1 cannot be changed.' : `${value} cannot be changed.`)).zh(
    (value) => `${value} 项无法更改。`,
  ),
  first_rejection: en((value: string) => `Reason for the first: ${value}`).zh((value) => `其中第一项的原因：${value}`),
  balance_usd: en((value: string) => `The current balance is ${value} USD.`).zh((value) => `当前余额为 ${value} USD。`),
  balance_lost_usd: en((value: string) => `The balance of ${value} USD can no longer be spent.`).zh(
    (value) => `余额 ${value} USD 将无法再使用。`,
  ),
  codes: en((value: string) => (value === '1' ? '1 code.' : `${value} codes.`)).zh((value) => `${value} 个兑换码。`),
  total_usd: en((value: string) => `Total value: ${value} USD.`).zh((value) => `合计价值 ${value} USD。`),
  open_usd: en((value: string) => `${value} USD can no longer be redeemed.`).zh(
    (value) => `${value} USD 将无法再兑换。`,
  ),
} as Record<string, Said<(value: string) => string>>)
