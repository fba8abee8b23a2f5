// Texts that several pages share.

import { en, texts } from '../say.ts'

export const common = texts({
  steps: en('Steps').zh('步骤'),
  unlimited: en('Unlimited').zh('不限额'),
  skipToContent: en('Skip to content').zh('跳到主要内容'),
  loading: en('Loading').zh('加载中'),
  retry: en('Retry').zh('重试'),
  cancel: en('Cancel').zh('取消'),
  close: en('Close').zh('关闭'),
  save: en('Save').zh('保存'),
  saved: en('Saved.').zh('已保存。'),
  copy: en('Copy').zh('复制'),
  copied: en('Copied').zh('已复制'),
  optional: en('optional').zh('选填'),
  search: en('Search').zh('搜索'),
  searchHint: en('Press / to search').zh('按 / 搜索'),
  nextPage: en('Next').zh('下一页'),
  previousPage: en('Previous').zh('上一页'),
  firstPage: en('First page').zh('第一页'),
  pages: en('Pages').zh('分页'),
  noMatch: en('Nothing matches.').zh('没有匹配项。'),
  moreMatches: en((count: number) => `${count} more. Type to narrow down.`).zh(
    (count) => `还有 ${count} 项，请输入文字缩小范围。`,
  ),
  downloadCsv: en('Download CSV').zh('下载 CSV'),
  showPassword: en('Show').zh('显示'),
  hidePassword: en('Hide').zh('隐藏'),
  columns: en('Columns').zh('列'),
  more: en('More actions').zh('更多操作'),
  none: en('None').zh('无'),
  ofCap: en((spent: string, cap: string) => `${spent} of ${cap} USD`).zh((spent, cap) => `${spent} / ${cap} USD`),
  help: en((page: string) => `Help: ${page}`).zh((page) => `帮助：${page}`),
  support: en('Get help').zh('获取帮助'),
  leave: {
    leave: en('Leave').zh('离开'),
    stay: en('Stay on this page').zh('留在此页'),
    form: en('Discard your changes?').zh('放弃更改？'),
    formText: en('They are not saved yet.').zh('更改尚未保存。'),
    discard: en('Discard').zh('放弃'),
    keep: en('Continue editing').zh('继续编辑'),
  },
  notFound: {
    title: en('Page not found').zh('页面不存在'),
    text: en('There is no page at this URL.').zh('此网址没有对应的页面。'),
    action: en('Go to the overview').zh('返回概览'),
  },
  crashed: {
    title: en('This page failed').zh('页面出错'),
    text: en('An error in the console stopped this page. Reload it to continue.').zh(
      '控制台发生错误，请重新加载此页面。',
    ),
    action: en('Reload').zh('重新加载'),
  },
  notLoaded: {
    title: en('The gateway could not be reached').zh('无法连接网关'),
    text: en('This page is not loaded yet. Check your connection; the console retries automatically.').zh(
      '此页面尚未加载。请检查网络，控制台会自动重试。',
    ),
  },
  /** `time`: of the oldest figures on screen. */
  loss: {
    unreachable: en((time: string) => `No connection to the gateway since ${time}. Figures are from then.`).zh(
      (time) => `自 ${time} 起无法连接网关，页面数据截至该时间。`,
    ),
    failing: en(
      (time: string) => `The gateway has been responding with errors since ${time}. Figures are from then.`,
    ).zh((time) => `自 ${time} 起网关持续返回错误，页面数据截至该时间。`),
    some: en((time: string) => `Some figures on this page cannot be read at the moment. They are from ${time}.`).zh(
      (time) => `此页面的部分数据暂时无法读取，显示的数据截至 ${time}。`,
    ),
  },
  requestId: en((id: string) => `Request ID: ${id}`).zh((id) => `请求 ID：${id}`),
})

export const nav = texts({
  label: en('Main').zh('主导航'),
  more: en('More').zh('更多'),
  available: en('Available').zh('可用余额'),
  signOut: en('Sign out').zh('退出登录'),
  account: en('Account').zh('账户'),
  disabled: en(
    'This account is disabled: its keys are rejected and nothing can be changed. Ask the operator of this gateway.',
  ).zh('此账户已停用：密钥的请求会被拒绝，内容只能查看，不能修改。请联系运营人员。'),
  place: en('Area').zh('切换'),
  mine: en('My account').zh('我的账户'),
  operate: en('Operate').zh('运营'),
  theme: en('Theme').zh('主题'),
  language: en('Language').zh('语言'),
})

export const help = texts({
  title: en('Documentation').zh('文档'),
  search: en('Search all pages').zh('搜索全部页面'),
  found: en((count: number) => `${count} ${count === 1 ? 'result' : 'results'}`).zh((count) => `${count} 条结果`),
  none: en((query: string) => `Nothing in the documentation matches “${query}”.`).zh(
    (query) => `文档中没有与“${query}”匹配的内容。`,
  ),
  tryThis: en('Try fewer or other words, such as “rate limit”, a setting, or the code of an error.').zh(
    '请减少或更换关键词，例如“限速”、某个设置的名称或错误代码。多数页面是英文的，英文关键词能找到更多内容。',
  ),
  missing: en('The documentation has no such page.').zh('文档中没有此页面。'),
  inChinese: en('Read this page in Chinese').zh('阅读本页的中文版'),
  /** Only where the documentation is in another language than the console. */
  translated: en('The documentation is in English. Read the quick start in Chinese').zh(
    '文档为英文。阅读中文版《快速开始》',
  ),
})

export const theme = texts({
  system: en('System').zh('跟随系统'),
  light: en('Light').zh('浅色'),
  dark: en('Dark').zh('深色'),
})

/** By the message of the gateway: the code `conflict` has many causes. English shows the message itself. */
export const conflicts = texts(
  en<Record<string, string>>({}).zh({
    'You have no password. Choose one first.': '您还没有密码，请先设置密码。',
    'Two-factor authentication is already on. Turn it off first to replace it.':
      '双重验证已经开启。如需更换，请先关闭。',
    'Two-factor authentication is not on.': '双重验证尚未开启。',
    'Open the link in the email that was sent to you first. It verifies your address. Then open the invitation again.':
      '请先打开邮件中的链接以验证邮箱，然后重新打开邀请。',
    'There is no mail server. Set mail.url and mail.from first.':
      '尚未设置邮件服务器，请先设置 mail.url 和 mail.from。',
    'Only a running server knows this.': '只有运行中的服务器才有此信息。',
    'There are too many invitations. Revoke some, or retry tomorrow.': '邀请过多。请撤回一些，或明天再试。',
    'The account needs an owner: this is the last one.': '账户必须至少有一个所有者。',
    'The last owner of the gateway keeps this role. Make another person an owner first.':
      '网关必须至少有一个所有者。请先将其他人设为所有者。',
    'Only a running server can do this. Start it first.': '只有运行中的服务器才能执行此操作，请先启动。',
    'An audit of the ledger is running. GET ledger/audits shows its progress.': '账本正在对账，请等待完成。',
    'This budget is deleted. Create a new one.': '此预算已被删除，请新建一个。',
    'This key is being changed elsewhere. Retry.': '此密钥正在其他地方被修改，请重试。',
    'The configuration is being changed elsewhere. Reload it, then repeat the change.':
      '配置正在其他地方被修改。请重新查看后再修改。',
  }),
)

/** By the code of the API's error. Codes without a text show the gateway's own message. */
export const errors = texts(
  en<Record<string, string>>({
    not_signed_in: 'Your session has ended. Sign in again.',
    unreachable: 'The gateway cannot be reached. Check your connection and retry.',
    service_unavailable: 'The gateway is busy. Retry in a few seconds.',
    overloaded: 'The gateway is busy. Retry in a few seconds.',
    foreign_page:
      'The gateway does not expect the console at this URL. Open it at its public URL. (Operators: set server.public_url.)',
  }).zh({
    unreachable: '无法连接网关。请检查网络后重试。',
    internal_error: '网关处理此请求时出错。请将请求 ID 提供给运营人员。',
    service_unavailable: '网关繁忙，请几秒后重试。',
    overloaded: '网关繁忙，请几秒后重试。',
    foreign_page: '请使用公开地址打开控制台，当前网址不是网关的公开地址。（运营人员：请设置 server.public_url。）',
    bad_request: '提交的内容无效。',
    not_found: '不存在，或已被删除。',
    owners_only: '只有账户的所有者可以执行此操作。',
    account_disabled: '此账户已停用。请联系运营人员。',
    account_switched: '此浏览器已切换到其他账户。请刷新页面。',
    registration_closed: '注册已关闭。请向运营人员申请账户。',
    address_taken: '此邮箱已有账户（可能大小写或写法不同）。请登录，或使用其他邮箱。',
    too_many_accounts: '您的网络今天创建的账户过多。请明天再试。',
    too_many_tries: '尝试次数过多，请稍后再试。',
    rate_limit_exceeded: '请求过于频繁，请稍后再试。',
    not_signed_in: '登录已失效，请重新登录。',
    wrong_credentials: '邮箱或密码错误，或账户已被停用。',
    wrong_code: '验证码错误，或已被使用。请等待下一个验证码，或使用恢复代码。',
    wrong_password: '密码错误。',
    unknown_group: '您的账户不能使用此分组。',
    built_in_key: '体验中心的内置密钥不能这样更改。',
    mail_not_configured: '此网关未启用邮件。请联系运营人员。',
    conflict: '当前状态不允许此操作。请刷新页面后重试。',
    key_deleted: '此密钥已被删除。',
    unknown_code: '此兑换码不存在，请检查是否输入有误。',
    code_used: '此兑换码已被使用。每个兑换码只能使用一次。',
    code_expired: '此兑换码已过期。请向发放者获取新的兑换码。',
    balance_too_large: '兑换后余额将超过上限。',
    too_many_keys: '密钥数量已达上限。请先删除不用的密钥。',
    link_expired: '此链接已被使用、已过期，或已被新链接取代。',
    unsupported_media_type: '提交的内容类型无效。',
    request_timeout: '请求超时，请重试。',
    request_too_large: '提交的内容过大。',
    forbidden: '您的角色没有此权限。',
    insufficient_balance: '可用余额不足。',
    upstream_failed: '上游没有正确响应。',
    invalid_admin_key: '管理密钥无效。',
    password_sign_in_off: '此网关已停用密码登录。',
    address_not_allowed: '您的 IP 地址不能使用管理功能。',
    second_factor_needed: '请输入身份验证器应用中的验证码。',
    method_not_allowed: '不支持此操作。',
    idempotency_mismatch: '相同的 Idempotency-Key 已用于另一个请求。',
    precondition_failed: '内容已被其他人修改。请刷新页面后重试。',
    client_closed_request: '请求已取消。',
  }),
)
